import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiText

/// `init`: makes a folder a replica.
struct InitCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make a folder a replica. Running it again is harmless.",
        discussion: """
            A folder that does not exist is created.

            With --remote, creates a store there if there is none. A token and certificates given \
            with it are kept in the replica for later runs. With --device, renames an existing \
            replica.

            With --encrypt, a new store is encrypted: what the remote holds can be read only with \
            the passphrase, which is asked for, or comes from an option or the environment. A lost \
            passphrase cannot be recovered. The replica keeps the store's key, so that later runs \
            need no passphrase.
            """)

    @Argument(help: "The folder; the current one if omitted.", completion: .directory)
    var dir: String?

    @Option(name: .long, help: ArgumentHelp("The store's address.", valueName: "url"))
    var remote: String?

    @Option(name: .long, help: ArgumentHelp("A name for this device.", valueName: "name"))
    var device: String?

    @Flag(name: .long, help: "Encrypt the new store.")
    var encrypt = false

    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup var reaching: AccessOptions
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    var interruptedWork: String? { InterruptedWork.repeated }

    func validate() throws {
        if encrypt, remote == nil { throw ValidationError("--encrypt needs --remote URL.") }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let root = try folder(in: console)
        let address = try remote.map { try RemoteAddress($0, currentFolder: console.currentFolder) }
        if let address {
            try RootPlacement(root: root).check(against: address.text)
            try reaching.check(for: address)
            try console.prepare(for: address)
        }
        var options = try replica.replicaOptions(root: root, in: console)
        let access = try reaching.apply(to: &options, in: console)
        let known = try Self.known(options)
        if known == nil {
            guard try console.confirmsWholeTree(at: root) else { return .negative }
        }
        var result: InitReport
        do {
            result = try await console.beforeReplica(at: root, isMaking: true, address) {
                try await initialize(options, address, known, in: console)
            } hint: {
                reaching.hint($0, at: address, in: console)
            }
        } catch {
            if let address, let known, known.store.isEmpty, let kept = known.remote,
                kept != address.text
            {
                console.say("Nothing was changed: the replica keeps the address \(kept).")
            }
            throw error
        }
        if let address { try console.pin(address, access) }
        console.register(root: root, state: options.state, isNew: true)
        if let away = result.away, result.store.isEmpty, let kept = result.remote {
            let place = try? RemoteAddress(absolute: kept)
            result.away = place?.worded(away, isMaking: true) ?? away
        }
        if result.isNewFolder, !console.outputOptions.isJSON {
            console.say("Created the folder \(printable(root.utf8)).")
        }
        try console.show(result)
        return result.away.map { ExitCode($0) } ?? .done
    }

    /// - Parameter known: What the replica is already; nil if it is new.
    private func initialize(
        _ options: ReplicaOptions, _ address: RemoteAddress?, _ known: ReplicaConfig?,
        in console: Console
    ) async throws -> InitReport {
        var connection: (any Sendable)?
        if let address, known?.store.isEmpty != false {
            // Before the folder of the new store is made.
            try RootPlacement(root: options.root).checkIsNoStore()
            let connecting = "Connecting to \(printable(address.text.utf8))"
            if try RcloneAddress(address.text) != nil, !console.terminals.talk {
                // At a terminal the progress shows it.
                console.say("\(connecting); the test of a new remote may take half a minute.")
            } else {
                console.detail(connecting + ".")
            }
            connection = try await console.makeFolder(of: address, for: options)
        }
        defer { withExtendedLifetime(connection) {} }
        let name = try DeviceName.chosen(device, in: console)
        let keys = passphrase.keys(isEncrypting: encrypt, in: console)
        return try await console.withProgress { [device] line in
            try await Replica.initialize(
                options, address: address?.text, deviceName: name, isRenaming: device != nil,
                keys: keys, rootMode: CloneCommand.rootMode, progress: { line?.show($0) })
        }
    }

    private func folder(in console: Console) throws(Failure) -> String {
        let places = try [dir, replica.root].compactMap(\.self).map { place throws(Failure) in
            try AddressAsFolder.check(place, in: console) {
                "Run filesinki init DIR --remote \($0), or filesinki clone \($0) DIR for the files of a store that is there"
            }
            return try FilePlace.absoluteText(place, in: console.currentFolder)
        }
        guard let first = places.first else { return console.currentFolder }
        guard places.allSatisfy({ $0 == first }) else {
            throw Failure(
                .usage, path: first, "DIR and --root name different folders.",
                remedy: "Give the folder or --root.")
        }
        return first
    }

    /// The replica that the folder is already; nil for none. Its marker may be missing.
    private static func known(_ options: ReplicaOptions) throws -> ReplicaConfig? {
        do {
            return try ReplicaConfig.read(options)
        } catch let failure where failure.code == .notFound {
            return nil
        }
    }
}

extension Console {
    /// Makes a replica. Where that fails and there was none, no command of the message names the folder as one.
    ///
    /// - Parameters:
    ///   - isMaking: Whether a store may be made.
    ///   - address: Of a store that has not been used yet; nil for none.
    ///   - hint: What a failure may be due to, after a space; empty for nothing.
    func beforeReplica<Made>(
        at root: String, isMaking: Bool, _ address: RemoteAddress?,
        _ make: () async throws -> Made, hint: (Failure) -> String
    ) async throws -> Made {
        let isNew = RootChoice.nearestReplica(at: root) == nil
        do { return try await make() } catch var failure as Failure {
            if isNew { hints = .none }
            failure = address?.worded(failure, isMaking: isMaking) ?? failure
            failure.remedy += hint(failure)
            throw failure
        }
    }

    /// Shows what `init` found or made.
    func show(_ report: InitReport) throws {
        try show(notices: report.notices)
        if outputOptions.isJSON {
            return try output.json(report.json)
        }
        let root = printable(report.root.utf8)
        say(
            report.isMarkedAgain
                ? "\(root) is marked as a replica again."
                : report.existed ? "\(root) is a replica already." : "\(root) is a replica now.")
        if let former = report.formerName {
            say(
                "Its device was \(printable(former.utf8)) and is \(printable(report.device.name.utf8)) now."
                    + (report.remote == nil
                        ? "" : " Others see that after the next change that is synced here."))
        }
        if let remote = report.remote { say(report.sentence(ofStoreAt: remote)) }
        if let away = report.away { complain(away) }
        if report.away != nil, report.store.isEmpty, let remote = report.remote {
            say(Self.keptAddress(remote))
        }
    }

    /// Shows what is worth a word, each under its own path.
    func show(notices: [Failure]) throws {
        for notice in notices {
            if outputOptions.isJSON { try output.json(notice.json(type: "notice")) }
            say(notice.description)
        }
    }

    /// What connects a replica whose remote was not reached. A sync makes no store, as that of a disk that is not mounted
    /// is missing, too.
    private static func keptAddress(_ remote: String) -> String {
        "The address is kept. When it can be reached, run filesinki init --remote "
            + "\(ShellWord.shown(remote.utf8)) again, which connects to the store there or makes it; "
            + "with another URL if this one is wrong."
    }
}

extension Session {
    /// Says of a replica that has never reached its store what makes it: a run does not, where the store is a folder.
    func sayUnconnected() async {
        guard await replica.storeID.isEmpty, let remote = await replica.remoteAddress,
            !console.outputOptions.isJSON
        else { return }
        switch try? RemoteAddress(absolute: remote) {
        case .folder, .ssh:
            console.say(
                "This replica has never reached its store, and a sync makes none. When the folder above it is there, "
                    + "run filesinki init --remote \(ShellWord.shown(remote.utf8)) again; "
                    + "with another URL if this one is wrong.")
        default: return
        }
    }
}

extension InitReport {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["type": "replica"]
        object.add("root", root)
        object.add("device", device.name)
        object.add("device_id", hexadecimal(device.id))
        object.add("remote", remote)
        object.add("store", store)
        object.add("existed", existed)
        object.add("created_store", createdStore)
        object.add("encrypted", isEncrypted)
        if let away { object.add("away", .object(away.json(type: "failure"))) }
        return object
    }

    /// What became of the store.
    fileprivate func sentence(ofStoreAt remote: String) -> String {
        if createdStore {
            return "Created \(isEncrypted ? "an encrypted" : "a") store at \(remote)."
        }
        if isConnected { return "Connected to the store at \(remote)." }
        return away == nil
            ? "Its store is at \(remote)." : "The store at \(remote) was not reached."
    }
}
