import ArgumentParser
import FilesinkiEngine
import FilesinkiModel

/// `conflicts`: those that wait for a person.
struct ConflictsCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "List the open conflicts, the oldest first.",
        discussion: """
            Exits with 3 when there are some, and with 0 when there are none. A conflict is over \
            when it is resolved, or when its copy is removed.
            """)

    @OptionGroup var null: NullOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: false, remote: false, in: console)
        let conflicts = try await session.replica.conflicts()
        for conflict in conflicts {
            if report.json {
                try console.output.json(conflict.json)
            } else if null.null {
                try console.output.path(conflict.path)
            } else {
                for line in conflict.text { try console.output.line(line) }
            }
        }
        return conflicts.isEmpty ? .done : .conflict
    }
}

extension OpenConflict {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["type": "conflict"]
        object.add("path", path)
        object.add("time", time)
        object.add("rule", rule)
        object.add("copy", copy)
        for (name, entry) in [("base", base), ("here", here), ("there", there)] {
            guard let entry else { continue }
            var side: JSONObject = [:]
            entry.describe(in: &side)
            object.add(name, .object(side))
        }
        return object
    }

    fileprivate var text: [String] {
        var lines = ["\(path)  (\(TimeText.local(time)))"]
        if let copy { lines.append("  copy   \(copy)") }
        for (name, entry) in [("base ", base), ("here ", here), ("there", there)] {
            lines.append("  \(name)  \(entry.map(Self.text) ?? "nothing")")
        }
        return lines
    }

    private static func text(_ entry: Entry) -> String {
        switch entry.kind {
        case .file: "\(SizeText.text(entry.size)), changed \(TimeText.local(entry.modified))"
        case .symlink: "symlink to \(printable(entry.target))"
        case .directory: "folder"
        case .tombstone: "deleted"
        }
    }
}
