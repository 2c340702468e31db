import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote

/// `clone`: a replica of a store that is there.
struct CloneCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "clone",
        abstract: "Create a replica of an existing store, with all its files.")

    @Argument(help: "The store's address.")
    var url: String

    @Argument(help: "The folder to create.", completion: .directory)
    var dir: String

    @Option(name: .long, help: ArgumentHelp("A name for this device.", valueName: "name"))
    var device: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Where the replica keeps its state.", valueName: "dir"))
    var state: String?

    @OptionGroup var reaching: AccessOptions
    @OptionGroup var waiting: WaitOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let address = try RemoteAddress(url, currentFolder: console.currentFolder)
        try console.prepare(for: address)
        let path = try FilePlace.absoluteText(dir, in: console.currentFolder)
        var options = try RootOptions.make(state: state).replicaOptions(root: path, in: console)
        let access = try reaching.apply(to: &options, in: console)
        // A mistyped address must not make a store, and a store that is away makes no replica.
        let made = try await Replica.initialize(
            options, address: address.text, deviceName: try DeviceName.chosen(device, in: console),
            makesStore: false)
        try console.pin(address, access)
        let session = Session(
            replica: try await Replica.open(options, writable: true),
            root: RootChoice(path: path, origin: .given), console: console, settings: options)
        try console.show(made)
        return try await session.run { _ in }
    }
}
