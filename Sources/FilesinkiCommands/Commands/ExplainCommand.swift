import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRules

/// `explain`: why a path is as it is.
struct ExplainCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain why a path was changed, deleted, skipped or renamed.",
        discussion: """
            Shows by which device, when, from which base and by which rule, newest first. Exits with \
            1 if nothing is known about the path.
            """)

    @Argument(help: "The path to explain.", completion: .file())
    var path: String

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: false, remote: false, in: console)
        let path = try session.path(path)
        let found = try await session.replica.explain(path)
        let reader = RootReader(root: session.root.path)
        let (filter, _) = try reader.ignoreFilter(console.environment)
        let match = try filter.explain(
            path, isDirectory: reader.isFolder(path), read: reader.read)
        let ignoredBy = match.flatMap { $0.isIgnored ? $0.place : nil }
        if report.json {
            for object in found.json(ignoredBy: ignoredBy) { try console.output.json(object) }
        } else {
            for line in found.text(ignoredBy: ignoredBy) { try console.output.line(line) }
        }
        if let away = found.away { console.say("The log was not read. \(away)") }
        return found.isEmpty && ignoredBy == nil ? .negative : .done
    }
}
