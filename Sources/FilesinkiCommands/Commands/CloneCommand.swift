import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote

/// `clone`: a replica of a store that is there.
struct CloneCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "clone",
        abstract: "Make a new replica of an existing store, with all its files.")

    @Argument(help: "Where the store is.")
    var url: String

    @Argument(help: "The folder to make.", completion: .directory)
    var dir: String

    @Option(name: .long, help: ArgumentHelp("This device's name, for people.", valueName: "name"))
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
        var made = try await Replica.initialize(
            options, address: nil, deviceName: try DeviceName.chosen(device, in: console))
        let session = Session(
            replica: try await Replica.open(options, writable: true),
            root: RootChoice(path: path, origin: .given), console: console, settings: options)
        // Not by `initialize`: of a mistyped address it would make a store.
        try await session.replica.setRemote(address.text, acceptingOther: false)
        try console.pin(address, access)
        made.remote = address.text
        made.store = hexadecimal(try await session.replica.status().store)
        try console.show(made)
        return try await session.run { _ in }
    }
}
