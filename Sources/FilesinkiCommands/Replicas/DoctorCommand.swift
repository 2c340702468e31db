import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiRules
import FilesinkiText
import Glibc

/// `doctor`: looks for common problems.
struct DoctorCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check this replica for common problems.",
        discussion: """
            Prints each problem and its remedy, and how many checks passed; -v lists all checks. \
            A note is advice: the check passed. Repairs nothing. Exits with 1 when a check failed; \
            warnings do not count.
            """)

    @Argument(help: "The replica, or a folder in it.", completion: .directory)
    var dir: String?

    @Flag(name: .long, help: "Do not contact the remote.")
    var offline = false

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let root =
            if let dir {
                try RootChoice.of(dir, replica, in: console)
            } else {
                try RootChoice.find(replica, in: console)
            }
        if root.origin == .standard, RootChoice.nearestReplica(at: root.path) == nil {
            throw Failure.notInReplica(console.currentFolder)
        }
        let options = try replica.replicaOptions(root: root.path, in: console)
        var findings = credentials(in: console)
        let network = try await networkProgram(options, in: console)
        if let network { findings.append(network) }
        let doctor = Doctor(options, console.machine)
        let canReach = !offline && network?.level != .error
        findings = await doctor.diagnose(canReach: canReach) + findings
        if canReach { findings += try await items(behind: findings, options, in: console) }
        if report.json {
            for finding in findings { try console.output.json(finding.json) }
        } else {
            try show(findings, in: console)
        }
        return findings.contains { $0.level == .error } ? .negative : .done
    }

    /// Whether the part of the program is there that the remote needs; nil when it needs none.
    private func networkProgram(
        _ options: ReplicaOptions, in console: Console
    ) async throws -> Diagnosis? {
        guard !offline, let replica = try? await Replica.open(options, writable: false),
            let text = await replica.remoteAddress
        else { return nil }
        do {
            let address = try RemoteAddress(text, currentFolder: console.currentFolder)
            guard case .network = address else { return nil }
            try console.prepare(for: address)
            return Diagnosis("network", .ok, "The network program is installed.")
        } catch let failure as Failure {
            return Diagnosis("network", .error, failure)
        }
    }

    /// The zones of values and records that cannot go on with the store; none if it does not answer.
    private func items(
        behind findings: [Diagnosis], _ options: ReplicaOptions, in console: Console
    ) async throws -> [Diagnosis] {
        guard findings.contains(where: { $0.name == "remote" && $0.level == .ok }) else {
            return []
        }
        return try await console.stoppedZones(options).map {
            Diagnosis($0.items, .error, $0.failure)
        }
    }

    /// Whether the files with secrets are private.
    private func credentials(in console: Console) -> [Diagnosis] {
        guard let settings = Settings.userFile(environment: { console.environment[$0] }),
            let cut = settings.lastIndex(of: "/")
        else { return [] }
        let path = settings[..<cut] + "/credentials.toml"
        guard let status = FileCall.status(Array(path.utf8)) else { return [] }
        guard status.st_mode & 0o077 == 0, status.st_uid == console.machine.user else {
            return [
                Diagnosis(
                    "credentials", .error, "Others can read or change \(path).",
                    remedy: "Run chmod 600 on it, as its owner.")
            ]
        }
        return [Diagnosis("credentials", .ok, "\(path) is private.")]
    }

    /// The number of checks that passed, then those that did not; with `-v` all of them.
    private func show(_ findings: [Diagnosis], in console: Console) throws {
        let passed = findings.count { $0.level == .ok || $0.level == .note }
        let warnings = findings.count { $0.level == .warning }
        let failed = findings.count - passed - warnings
        var counts = [CountText.text(passed, "check") + " passed"]
        if warnings > 0 { counts.append(CountText.text(warnings, "warning")) }
        if failed > 0 { counts.append("\(failed) failed") }
        let isVerbose = report.talk.verbose
        if !report.talk.quiet {
            try console.output.line(
                counts.joined(separator: ", ") + (isVerbose ? "" : "  (-v lists all)"))
        }
        let shown = findings.filter { isVerbose || $0.level != .ok }
        let width = shown.map(\.name.count).max() ?? 0
        for finding in shown {
            let remedy = console.hints.remedy(finding.remedy, finding.isForOtherDevice)
            let head =
                "\(finding.level.column(console.outputStyle))  "
                + TextTable.padded(finding.name, width) + "  "
            // The colour of the level takes no columns.
            let start = width + 11
            let text = FlowText.words(
                console.hints.text(finding.message) + (remedy.isEmpty ? "" : " " + remedy),
                indent: "",
                within: console.outputColumns.map { max(20, $0 - start) })
            for (number, line) in text.enumerated() {
                let below = String(repeating: " ", count: start)
                try console.output.line((number == 0 ? head : below) + line)
            }
        }
    }
}

extension Diagnosis {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["type": "finding"]
        object.add("name", name)
        object.add("level", level.rawValue)
        object.add("message", message)
        object.add("remedy", remedy.isEmpty ? nil : remedy)
        object.add("service", service?.rawValue)
        return object
    }
}

extension Diagnosis.Level {
    /// The level as the first column.
    fileprivate func column(_ style: TerminalStyle) -> String {
        switch self {
        case .ok: style.green("ok     ")
        case .note: "note   "
        case .warning: style.yellow("warning")
        case .error: style.red("failed ")
        }
    }
}
