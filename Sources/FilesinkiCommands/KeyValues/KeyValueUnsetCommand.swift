import ArgumentParser
import FilesinkiKeyValue
import FilesinkiModel

/// `kv unset`: no value any more.
struct KeyValueUnsetCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "unset",
        abstract: "Remove keys on all devices.",
        discussion: "Removes several at once. Exits with 1 if none of them had a value.")

    @Argument(help: "The keys.")
    var keys: [String]

    @OptionGroup var patience: PatienceOption
    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        let keys = try keys.map { text throws(Failure) in try options.key(text) }
        let session = try await options.open(in: console)
        let removed = try await session.values.apply(keys.map { ValueChange($0, nil) })
        let report = try await session.send(patience, operation: "kv unset", in: console)
        var code = session.code(report, patience)
        if code == .done, removed.isEmpty { code = .negative }
        try session.show(report, removed, exit: code, in: console)
        return code
    }
}
