import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRules
import FilesinkiText

/// `lint`: names that another system could not hold.
struct LintCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "List names that other systems cannot store.",
        discussion: """
            Checks the paths as of the last sync. Exits with 0 if there is nothing to list, and with \
            1 if there is, or if a path is not found.
            """)

    @Argument(help: "Only these paths and everything below them.", completion: .file())
    var paths: [String] = []

    @OptionGroup var list: PathsOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        guard let paths = try list.all(paths, in: console) else { return .done }
        let session = try await Session.open(replica, writable: false, remote: false, in: console)
        let chosen = try session.paths(paths)
        let known = try await session.replica.list(chosen)
        let isAllFound = try session.report(missing: chosen, in: known.map(\.0))
        let issues = NameLint.issues(in: known.map(\.0))
        for issue in issues { try show(issue, in: console) }
        return issues.isEmpty && isAllFound ? .done : .negative
    }

    private func show(_ issue: NameIssue, in console: Console) throws {
        if report.json {
            var object: JSONObject = ["type": "name"]
            object.add("path", issue.path)
            object.add("reason", issue.reason)
            object.add("remedy", issue.remedy)
            try console.output.json(object)
        } else if list.null.null {
            try console.output.path(issue.path)
        } else {
            try console.output.line("\(issue.path): \(issue.reason) \(issue.remedy)")
        }
    }
}
