import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// `conflicts`: those that wait for a person.
struct ConflictsCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "List open conflicts, oldest first.",
        discussion: """
            Exits with 3 when there are open conflicts, else with 0. A conflict ends when it is \
            resolved, or when its conflict copy is removed.
            """)

    @OptionGroup var null: NullOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: false, remote: false, in: console)
        let conflicts = try await session.replica.conflicts()
        let now = console.systemContext.now()
        for conflict in conflicts {
            if report.json {
                try console.output.json(conflict.json)
            } else if null.null {
                try console.output.path(conflict.path)
            } else {
                for line in conflict.text(now: now) { try console.output.line(line) }
            }
        }
        return conflicts.isEmpty ? .done : .conflict
    }
}

extension OpenConflict {
    private var versions: [(name: String, entry: Entry?)] {
        [("base", conflict.base), ("here", conflict.ours), ("there", conflict.theirs)]
    }

    fileprivate var json: JSONObject {
        var object: JSONObject = ["type": "conflict"]
        object.add("path", path)
        object.add("time", time)
        object.add("rule", rule)
        object.add("copy", copy)
        for (name, entry) in versions {
            guard let entry else { continue }
            var side: JSONObject = [:]
            entry.describe(in: &side)
            object.add(name, .object(side))
        }
        return object
    }

    /// Three lines: the versions, where they are, and what to do.
    fileprivate func text(now: Timestamp) -> [String] {
        let versions = versions.map { name, entry in
            "\(name) \(entry.map { Self.text($0, now: now) } ?? "nothing")"
        }
        let head = ["\(path)   since \(TimeText.day(time, now: now))"] + versions
        let place =
            copy.map { "the version from there is in place, the one from here is  \($0)" }
            ?? "both sides keep their own version"
        let name = ShellWord.quoted("\(path)")
        return [
            head.joined(separator: "    "), "    " + place,
            "    compare: filesinki diff --conflict \(name)"
                + "      resolve: filesinki resolve \(name) --take here|there",
        ]
    }

    private static func text(_ entry: Entry, now: Timestamp) -> String {
        switch entry.kind {
        case .file: "\(SizeText.text(entry.size)) \(TimeText.day(entry.modified, now: now))"
        case .symlink: "symlink to \(printable(entry.target))"
        case .directory: "folder"
        case .tombstone: "deleted"
        }
    }
}
