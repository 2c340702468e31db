import ArgumentParser
import FilesinkiDirectory
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote

/// `init`: makes a folder a replica.
struct InitCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make a folder a replica; again is harmless.",
        discussion: """
            With --remote, a store is made there when there is none. A token and certificates that \
            are given with it are kept in the replica for its later runs. With --device, a replica \
            that is there already is renamed.
            """)

    @Argument(help: "The folder; the current one without it.", completion: .directory)
    var dir: String?

    @Option(name: .long, help: ArgumentHelp("Where replicas meet.", valueName: "url"))
    var remote: String?

    @Option(name: .long, help: ArgumentHelp("This device's name, for people.", valueName: "name"))
    var device: String?

    @OptionGroup var reaching: AccessOptions
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let root = try FilePlace.absoluteText(
            dir ?? replica.root ?? ".", in: console.currentFolder)
        let address = try remote.map { try RemoteAddress($0, currentFolder: console.currentFolder) }
        if let address { try console.prepare(for: address) }
        var options = try replica.replicaOptions(root: root, in: console)
        let access = try reaching.apply(to: &options, in: console)
        if let address, try await !Self.hasMetStore(options) { address.makeFolder() }
        let result = try await Replica.initialize(
            options, address: address?.text, deviceName: try DeviceName.chosen(device, in: console),
            isRenaming: device != nil)
        if let address { try console.pin(address, access) }
        try console.show(result)
        return result.away.map { ExitCode($0) } ?? .done
    }

    /// Whether the folder is a replica that knows its store.
    private static func hasMetStore(_ options: ReplicaOptions) async throws -> Bool {
        do {
            let replica = try await Replica.open(options, writable: false)
            return try await !replica.status().store.isEmpty
        } catch let failure as Failure where failure.code == .notFound {
            return false
        }
    }
}

extension Console {
    /// Shows what `init` found or made.
    func show(_ report: InitReport) throws {
        if wishes.isJSON {
            var object: JSONObject = ["type": "replica"]
            object.add("root", report.root)
            object.add("device", report.device.name)
            object.add("device_id", hexadecimal(report.device.id))
            object.add("remote", report.remote)
            object.add("store", report.store)
            object.add("was_there", report.wasThere)
            object.add("made_store", report.madeStore)
            if let away = report.away { object.add("away", .object(away.json(type: "failure"))) }
            return try output.json(object)
        }
        let root = printable(report.root.utf8)
        say(report.wasThere ? "\(root) is a replica already." : "\(root) is a replica now.")
        if let remote = report.remote {
            say(report.madeStore ? "Made a store at \(remote)." : "It meets others at \(remote).")
        }
        if let away = report.away { complain(away) }
    }
}
