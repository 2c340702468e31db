import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiRules
import Glibc

/// `doctor`: looks for the usual troubles.
struct DoctorCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for the usual troubles, and say what to do about each.",
        discussion: """
            One line for each thing that was looked at: ok, warning or trouble, and the remedy. \
            Nothing is repaired. Exits with 1 when there is a trouble; warnings are none.
            """)

    @Argument(help: "A folder that is or lies in the replica.", completion: .directory)
    var dir: String?

    @Flag(name: .long, help: "Do not ask the remote.")
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
        let options = try replica.replicaOptions(root: root.path, in: console)
        var findings = credentials(in: console)
        let network = try await networkProgram(options, in: console)
        if let network { findings.append(network) }
        let examination = Examination(options, console.machine)
        let canReach = !offline && network?.level != .trouble
        findings = await examination.run(canReach: canReach) + findings
        for finding in findings { try show(finding, in: console) }
        return findings.contains { $0.level == .trouble } ? .negative : .done
    }

    /// Whether the part of the program is there that the remote needs; nil when it needs none.
    private func networkProgram(
        _ options: ReplicaOptions, in console: Console
    ) async throws -> Finding? {
        guard !offline, let replica = try? await Replica.open(options, writable: false),
            let text = await replica.remoteAddress
        else { return nil }
        do {
            let address = try RemoteAddress(text, currentFolder: console.currentFolder)
            guard case .network = address else { return nil }
            try console.prepare(for: address)
            return Finding("network", .ok, "The part that uses the network is there.")
        } catch let failure as Failure {
            return Finding("network", .trouble, failure)
        }
    }

    /// Whether the files with secrets are private.
    private func credentials(in console: Console) -> [Finding] {
        guard let settings = Settings.userFile(environment: { console.environment[$0] }),
            let cut = settings.lastIndex(of: "/")
        else { return [] }
        let path = settings[..<cut] + "/credentials.toml"
        guard let status = FileCall.status(Array(path.utf8)) else { return [] }
        guard status.st_mode & 0o077 == 0, status.st_uid == console.machine.user else {
            return [
                Finding(
                    "credentials", .trouble, "Others can read or change \(path).",
                    remedy: "Run chmod 600 on it, as its owner.")
            ]
        }
        return [Finding("credentials", .ok, "\(path) is private.")]
    }

    private func show(_ finding: Finding, in console: Console) throws {
        if report.json {
            var object: JSONObject = ["type": "finding"]
            object.add("name", finding.name)
            object.add("level", finding.level.rawValue)
            object.add("message", finding.message)
            object.add("remedy", finding.remedy.isEmpty ? nil : finding.remedy)
            return try console.output.json(object)
        }
        guard finding.level != .ok || !report.talk.quiet else { return }
        let style = console.outputStyle
        let level =
            switch finding.level {
            case .ok: style.green("ok     ")
            case .warning: style.yellow("warning")
            case .trouble: style.red("trouble")
            }
        let remedy = finding.remedy.isEmpty ? "" : " " + finding.remedy
        try console.output.line("\(level)  \(finding.name): \(finding.message)\(remedy)")
    }
}
