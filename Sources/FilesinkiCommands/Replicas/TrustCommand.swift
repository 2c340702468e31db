import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// `trust`: lets the commands in the synced rules run on this device.
struct TrustCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Allow the commands in the synced rules to run on this device.",
        discussion: """
            Rules in .filesinki.toml come from every device, so their commands (exec:, choose:) do \
            not run here until you have approved them. Any change to the file revokes the approval.
            """)

    @Flag(name: .long, help: "Revoke the trust.")
    var revoke = false

    @Flag(name: .long, help: "Print the commands and whether they may run.")
    var show = false

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func validate() throws {
        if revoke, show { throw ValidationError("Give --revoke or --show.") }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: !show, remote: false, in: console)
        let found =
            show
            ? try await session.replica.trust()
            : try await session.replica.setTrust(!revoke)
        if report.json {
            var object: JSONObject = ["type": "trust"]
            object.add("trusted", found.isTrusted)
            try console.output.json(object)
        }
        for command in found.commands { try show(command.description, in: console) }
        if found.isTrusted, found.commands.isEmpty {
            console.say("The synced rules have no commands.")
        } else {
            console.say(
                found.isTrusted ? "These commands may run here." : "No command may run here.")
        }
        return found.isTrusted ? .done : show ? .negative : .done
    }

    private func show(_ command: String, in console: Console) throws {
        guard report.json else { return try console.output.line(printable(command.utf8)) }
        var object: JSONObject = ["type": "command"]
        object.add("command", bytes: Array(command.utf8))
        try console.output.json(object)
    }
}
