import ArgumentParser
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiText

/// `kv off`: no exchange until it is turned on again.
struct KeyValueOffCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "off",
        abstract: "Stop syncing until kv on; values set meanwhile are kept here.")

    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        let session = try await options.open(in: console)
        try await session.values.setOff(true)
        if options.report.json { try console.output.json(["type": "switch", "off": true]) }
        return .done
    }
}

/// `kv on`: the exchange goes on.
struct KeyValueOnCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "on",
        abstract: "Resume syncing after kv off.")

    @OptionGroup var patience: PatienceOption
    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        let session = try await options.open(in: console)
        try await session.values.setOff(false)
        let report = try await session.send(patience, operation: "kv on", in: console)
        let code = session.code(report, patience)
        try session.show(report, report.exchange?.published ?? [], exit: code, in: console)
        return code
    }
}
