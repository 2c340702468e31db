import FilesinkiCommands
import Testing

/// What a command is run in, and how.
struct Scene: Sendable, CustomTestStringConvertible {
    /// The name of the golden file.
    var name: String
    /// Command lines that come before, in a world with the replicas `a` and `b`; `write PATH TEXT`
    /// writes a file.
    var before: [String] = []
    /// The command line whose output is looked at.
    var command: String
    var code = ExitCode.done
    var input = ""
    /// Whether the command prints for people, not with `--json`.
    var isText = false
    /// The width of the terminal that it prints to; nil for a pipe.
    var columns: Int?

    var testDescription: String {
        columns.map { "\(name) at \($0) columns" } ?? (isText ? name + " as text" : name)
    }
}

extension Scene {
    /// The scenes of keys and values.
    static let ofKeys: [Scene] = [
        Scene(name: "kv-set", command: "kv set --root a theme dark"),
        Scene(name: "kv-set-away", before: ["move store gone"], command: "kv set --root a x=1 y=2"),
        Scene(
            name: "kv-set-limit", before: ["kv quota --root a --max-keys 1"],
            command: "kv set --root a x=1 y=2", code: .limit),
        Scene(
            name: "kv-get", before: ["kv set --root a n=9223372036854775807 --type int"],
            command: "kv get --root a n"),
        Scene(name: "kv-get-default", command: "kv get --root a n --type int --default 5"),
        Scene(name: "kv-get-absent", command: "kv get --root a n", code: .negative),
        Scene(name: "kv-unset", before: ["kv set --root a n=1"], command: "kv unset --root a n"),
        Scene(
            name: "kv-list",
            before: [
                "kv set --root a on=true --type bool", "kv set --root a d=-0.0 --type double",
                "kv set --root a t=2024-05-01T09:30:00.250Z --type date",
                "kv set --root a l=[1,null,{\"x\":\"y\"}] --type json",
                "kv set --root a b=AP8= --type data", "kv set --root a s=1 --merge max",
            ], command: "kv list --root a"),
        Scene(
            name: "kv-sync",
            before: ["kv set --root a x=1 y=2", "kv set --root b x=3"],
            command: "kv sync --root a"),
        Scene(
            name: "kv-sync-initial",
            before: [
                "kv set --root a x=1", "kv off --root b", "kv set --root b x=2",
                "kv set --root b y=3",
            ],
            command: "kv on --root b"),
        Scene(name: "kv-status", before: ["kv set --root a x=1"], command: "kv status --root a"),
        Scene(name: "kv-quota", before: ["kv set --root a x=1"], command: "kv quota --root a"),
        Scene(name: "kv-off", command: "kv off --root a"),
        Scene(
            name: "kv-log",
            before: [
                "kv set --root a x=1", "kv off --root b", "kv set --root b x=2", "kv on --root b",
            ], command: "kv log --root b x"),
        Scene(
            name: "kv-export", before: ["kv set --root a x=1"], command: "kv export --root a -o x"),
        Scene(name: "kv-import", before: ["write x {\"k\":5}"], command: "kv import --root a x"),
        Scene(
            name: "kv-bridge", before: ["kv set --root a x=1", "write s.json {\"k\":5}"],
            command: "kv bridge --root a s.json"),
    ]
}

extension Scene {
    /// What is wider than most terminals: as it is printed to a pipe, and to a terminal of 80 columns.
    static let ofWidths: [Scene] = [
        Scene(
            name: "remote-check", before: ["folder fresh"], command: "remote check fresh",
            isText: true),
        Scene(name: "devices", before: ["sync b"], command: "devices --root a", isText: true),
        Scene(
            name: "prune-plan",
            before: ["write a/one 1", "sync a", "write a/one 2", "sync a"],
            command: "prune --root a --keep-last 1 -n", isText: true),
    ].flatMap { scene in
        var narrow = scene
        narrow.columns = 80
        return [scene, narrow]
    }
}
