import FilesinkiCommands
import FilesinkiModel
import Testing

@Suite("The contract of --json")
struct GoldenTests {
    private static let conflict = [
        "write a/one from-a", "write b/one from-b", "sync a", "sync b",
    ]

    private static let encrypted = [
        "set FILESINKI_PASSPHRASE secret", "remote set sealed --migrate --encrypt --root a",
    ]

    private static let only = "only set one --root a"

    private static let settings = """
        write a/.filesinki.toml strategy='newest'
        max-delete=100
        [[rule]]
        match='*.json'
        fields.'/n'='sum'
        [[rule]]
        match='*.log'
        strategy='larger'
        """

    private static let scenes: [Scene] = [
        Scene(name: "version", command: "--version"),
        Scene(name: "init", command: "init c --remote store --device c"),
        Scene(name: "clone", command: "clone store c --device c"),
        Scene(
            name: "sync", before: ["write a/one 1", "write a/new 2", "delete --root a two"],
            command: "sync a"),
        Scene(name: "sync-nothing", command: "sync a"),
        Scene(name: "sync-plan", before: ["write a/one 1"], command: "sync a --dry-run"),
        Scene(
            name: "sync-conflict", before: Array(conflict.dropLast()), command: "sync b",
            code: .conflict),
        Scene(name: "sync-away", before: ["move store gone"], command: "sync a", code: .away),
        Scene(
            name: "sync-exclude", before: ["write a/one 1", "write a/new.iso 2"],
            command: "sync a --exclude *.iso"),
        Scene(
            name: "sync-summary",
            before: ["write a/new 1", "delete --root a two", "sync a"] + Array(conflict.dropLast()),
            command: "sync b --summary", code: .conflict, isText: true),
        Scene(
            name: "sync-on-conflict", before: Array(conflict.dropLast()),
            command: "sync b --on-conflict exit", code: .conflict, isText: true),
        Scene(name: "only-list", before: [only], command: "only list --root a"),
        Scene(name: "only-list", before: [only], command: "only list --root a", isText: true),
        Scene(name: "only-list-none", command: "only list --root a", code: .negative),
        Scene(name: "only-set", command: "only set one --root a"),
        Scene(name: "only-add", before: [only], command: "only add two --root a"),
        Scene(
            name: "only-remove", before: ["only set one two --root a"],
            command: "only remove two --root a"),
        Scene(
            name: "only-remove-refused",
            before: ["only set one two --root a", "write a/two changed"],
            command: "only remove two --root a", code: .negative),
        Scene(name: "only-disable", before: [only], command: "only disable --root a"),
        Scene(name: "clone-only", command: "clone store c --device c --only one"),
        Scene(name: "status-partial", before: [only], command: "status a"),
        Scene(name: "status-partial", before: [only], command: "status a", isText: true),
        Scene(name: "ls-partial", before: [only], command: "ls --root a"),
        Scene(
            name: "check-ignore-partial", before: [only], command: "check-ignore --root a two"),
        Scene(name: "save-partial", before: [only], command: "save --root a two", code: .usage),
        Scene(name: "status", before: ["write a/one 1"], command: "status a"),
        Scene(name: "devices", before: ["sync b"], command: "devices --root a"),
        Scene(name: "devices-forget", before: ["sync b"], command: "devices forget b --root a"),
        Scene(name: "remote-show", command: "remote show --root a"),
        Scene(
            name: "remote-set", before: ["move store elsewhere"],
            command: "remote set elsewhere --root a"),
        Scene(
            name: "remote-set-migrate", before: ["set FILESINKI_PASSPHRASE secret"],
            command: "remote set sealed --migrate --encrypt --root a"),
        Scene(name: "key-list", before: encrypted, command: "key list --root a"),
        Scene(name: "key-add", before: encrypted, command: "key add --root a"),
        Scene(name: "key-change", before: encrypted, command: "key change --root a"),
        Scene(
            name: "key-remove", before: encrypted, command: "key remove 0 --root a", code: .negative
        ),
        Scene(name: "remote-check", before: ["folder fresh"], command: "remote check fresh"),
        Scene(name: "save", command: "save --root a three", input: "3"),
        Scene(
            name: "save-if-version", command: "save --root a one --if-version 7", code: .negative,
            input: "3"),
        Scene(name: "load", command: "load --root a one -o out"),
        Scene(name: "load-absent", command: "load --root a none -o out", code: .negative),
        Scene(name: "delete", command: "delete --root a one"),
        Scene(name: "undelete", before: ["delete --root a one"], command: "undelete --root a one"),
        Scene(name: "mv", command: "mv --root a one folder/uno"),
        Scene(
            name: "undelete-pattern", before: ["delete --root a one two"],
            command: "undelete --root a *"),
        Scene(name: "ls", command: "ls --root a"),
        Scene(
            name: "ls-deleted", before: ["delete --root a one"], command: "ls --root a --deleted"),
        Scene(
            name: "ls-commit", before: ["write a/one 1", "delete --root a two", "sync a"],
            command: "ls --root a --commit 1"),
        Scene(
            name: "load-commit", before: ["write a/one 1", "sync a"],
            command: "load --root a one --commit 1 -o out"),
        Scene(name: "log", before: ["write a/one 1", "sync a"], command: "log --root a one"),
        Scene(
            name: "log-store", before: ["write a/one 1", "sync a"], command: "log --root a"),
        Scene(
            name: "log-until", before: ["write a/one 1", "sync a"],
            command: "log --root a --until @1700000005 --device a"),
        Scene(
            name: "log-since", before: ["write a/one 1", "sync a"],
            command: "log --root a --since @1700000006", isText: true),
        Scene(
            name: "observe", before: ["write a/one 1", "delete --root a two", "sync a"],
            command: "observe --root b --since 0 --once"),
        Scene(
            name: "changes", before: ["write a/one 1", "delete --root a two", "sync a"],
            command: "changes --root b --since 0"),
        Scene(name: "show", command: "show --root a one@1 -o out"),
        Scene(
            name: "show-conflict", before: conflict,
            command: "show --root b one --conflict merge -o out"),
        Scene(
            name: "diff", before: ["write a/one 1"], command: "diff --root a one",
            code: .negative),
        Scene(
            name: "diff-stat", before: ["write a/one 1"], command: "diff --root a one --stat",
            code: .negative),
        Scene(
            name: "restore", before: ["write a/one 1", "sync a"],
            command: "restore --root a one@1"),
        Scene(name: "explain", before: ["write a/one 1"], command: "explain --root a one"),
        Scene(name: "conflicts", before: conflict, command: "conflicts --root b", code: .conflict),
        Scene(name: "resolve", before: conflict, command: "resolve --root b one --take here"),
        Scene(
            name: "resolve-tool", before: conflict,
            command: "resolve --root b one --tool cat<$LOCAL>$MERGED"),
        Scene(
            name: "resolve-tool-declined", before: conflict,
            command: "resolve --root b one --tool true<$MERGED", code: .conflict),
        Scene(
            name: "resolve-interactive", before: conflict, command: "resolve -i --root b",
            code: .usage, isText: true),
        Scene(
            name: "merge", before: ["write x 1", "write y 1", "write z 2"],
            command: "merge x y z -o out"),
        Scene(
            name: "merge-explain",
            before: ["write x {a:1,b:2}", "write y {a:3,b:2}", "write z {a:1}"],
            command: "merge --explain --path x.json x y z -o out"),
        Scene(
            name: "merge-explain",
            before: ["write x {a:1,b:2}", "write y {a:3,b:2}", "write z {a:1}"],
            command: "merge --explain --path x.json x y z -o out", isText: true),
        Scene(
            name: "merge-check", before: ["write x 1", "write y 1", "write z 2"],
            command: "merge --check x y z"),
        Scene(name: "check", command: "check --root a"),
        Scene(name: "check-part", command: "check --root a --read-data=3/10"),
        Scene(name: "repair", command: "repair --root a"),
        Scene(name: "repair-forget", command: "repair --root a --forget-damaged"),
        Scene(
            name: "prune", before: ["write a/one 1", "sync a"],
            command: "prune --root a --keep-within 30d"),
        Scene(
            name: "du", before: ["write a/d/one one", "write a/two new", "sync a"],
            command: "du --root a --history"),
        Scene(name: "stats", before: ["write a/two new", "sync a"], command: "stats --root a"),
        Scene(name: "doctor", command: "doctor a"),
        Scene(name: "trust", command: "trust --root a --show", code: .negative),
        Scene(
            name: "lint", before: ["write a/aux.txt 1", "sync a"], command: "lint --root a",
            code: .negative),
        Scene(
            name: "check-ignore", before: ["write a/.filesinkiignore *.tmp"],
            command: "check-ignore --root a x.tmp"),
        Scene(name: "compress", before: ["write x 1"], command: "compress x -o out"),
        Scene(
            name: "decompress", before: ["write x 1", "compress x -o y"],
            command: "decompress y -o out"),
        Scene(
            name: "config-get", before: [settings], command: "config get rule --root a"),
        Scene(
            name: "config-get-default", command: "config get max-delete --defaults --root a"),
        Scene(
            name: "config-get-absent", command: "config get gitignore --root a", code: .negative),
        Scene(
            name: "config-set", before: [settings], command: "config set on-delete ask --root a"),
        Scene(
            name: "config-set-unknown", command: "config set on-delet ask --root a", code: .usage),
        Scene(
            name: "config-unset", before: [settings], command: "config unset strategy --root a"),
        Scene(
            name: "config-list", before: [settings], command: "config list --defaults --root a"),
        Scene(
            name: "config-list", before: [settings], command: "config list --defaults --root a",
            isText: true),
        Scene(
            name: "config-get", before: [settings], command: "config get rule --root a",
            isText: true),
        Scene(name: "replicas", before: ["write a/one 1", "move b gone"], command: "replicas"),
        Scene(
            name: "replicas", before: ["write b/one 1", "sync b", "move a gone"],
            command: "replicas", isText: true),
        Scene(name: "replicas-forget", command: "replicas --forget b"),
        Scene(
            name: "sync-all", before: ["init c", "write a/one 1", "init d", "move d gone"],
            command: "sync --all"),
        Scene(
            name: "sync-all", before: ["write a/one 1"], command: "sync --all", isText: true),
        Scene(name: "deinit", command: "deinit b"),
        Scene(
            name: "deinit-refused", before: ["write a/one 1"], command: "deinit a",
            code: .negative),
        Scene(name: "failure", command: "sync a --strategy newset", code: .usage),
    ]

    @Test(
        "each command prints its golden file",
        arguments: scenes + Scene.ofWidths + Scene.ofKeys + recordScenes + Scene.ofRPC)
    private func golden(_ scene: Scene) async throws {
        let world = try await Self.pair()
        for line in scene.before { try await world.perform(line) }
        world.wait(seconds: 60)
        if let columns = scene.columns {
            world.terminals.output = true
            world.terminals.columns = { columns }
            world.set("NO_COLOR", to: "1")
        }
        let words = scene.command.split(separator: " ").map { Array($0.utf8) }
        let end = scene.isText ? [] : [Array("--json".utf8)]
        let outcome = try await world.run(bytes: words + end, input: Array(scene.input.utf8))
        #expect(outcome.code == scene.code, "\(outcome.talk)")
        let width = scene.columns.map { "-\($0)" } ?? ""
        let name = scene.name + width + (scene.isText ? ".txt" : ".jsonl")
        try Golden(name: name).expect(world.stripped(outcome.text))
    }

    @Test func `every command that prints results has a golden file`() async throws {
        let world = try World()
        let help = try await world.run("--help").text
        let listed = help.split(separator: "\n").filter {
            $0.hasPrefix("  ") && !$0.hasPrefix("   ")
        }
        .compactMap { $0.split { " ,".contains($0) }.first }
        // Commands that print a script or run until a signal; watch has a test of its own.
        let others: Set<Substring> = ["completions", "help", "serve", "ui", "watch", "filesinki"]
        let scenes = Self.scenes + Scene.ofKeys + Self.recordScenes + Scene.ofRPC
        for name in listed where name.allSatisfy({ $0.isLowercase || $0 == "-" }) {
            guard !others.contains(name), !name.hasPrefix("-") else { continue }
            #expect(
                scenes.contains { $0.command.hasPrefix(name) }, "\(name) has no golden file.")
        }
    }

    @Test func `status for Prometheus prints its golden file`() async throws {
        let world = try await Self.pair()
        try await world.perform("write a/one 1")
        try await world.perform("move store gone")
        _ = try await world.run("sync", "a")
        let outcome = try await world.run("status", "a", "--prometheus")
        #expect(outcome.code == .done)
        try Golden(name: "status.prom").expect(world.stripped(outcome.text))
    }

    @Test func `a watch prints its golden file`() async throws {
        let world = try await Self.pair()
        let lines = [
            "write b/one 1", "write b/new 2", "delete --root b two", "sync b", "write a/mine 3",
            "move store gone",
        ]
        for line in lines { try await world.perform(line) }
        world.wait(seconds: 60)
        let reader = WatchReader { world.rename("gone", to: "store") }
        let words = ["watch", "a", "--json"].map { Array($0.utf8) }
        let code = await Program.run(arguments: words, in: world.console(output: reader))
        #expect(code == .io)
        try Golden(name: "watch.jsonl").expect(world.stripped(reader.text))
    }

    /// Two replicas, `a` and `b`, with the files `one` and `two`, in a world without chance.
    static func pair() async throws -> World {
        let world = try World(isRepeatable: true)
        let before = [
            "folder a", "write a/one one", "write a/two two", "init a --remote store --device a",
        ]
        try await world.makeStore("store")
        for line in before { try await world.perform(line) }
        world.skipChanceOfStore()
        for line in ["sync a", "clone store b --device b"] { try await world.perform(line) }
        return world
    }
}
