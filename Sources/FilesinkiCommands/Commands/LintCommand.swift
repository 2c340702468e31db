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
        let findings = NameLint.findings(in: known.map(\.0))
        for finding in findings { try show(finding, in: console) }
        return findings.isEmpty && isAllFound ? .done : .negative
    }

    private func show(_ finding: NameFinding, in console: Console) throws {
        if report.json {
            var object: JSONObject = ["type": "name"]
            object.add("path", finding.path)
            object.add("reason", finding.reason)
            object.add("remedy", finding.remedy)
            try console.output.json(object)
        } else if list.null.null {
            try console.output.path(finding.path)
        } else {
            try console.output.line("\(finding.path): \(finding.reason) \(finding.remedy)")
        }
    }
}
