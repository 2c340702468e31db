import ArgumentParser
import FilesinkiDirectory
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiRules
import FilesinkiSystem
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
            try FilePlace.absoluteText(place, in: console.currentFolder)
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
    fileprivate func beforeReplica<Made>(
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
        for notice in report.notices {
            if outputOptions.isJSON { try output.json(notice.json(type: "notice")) }
            say(notice.description)
        }
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

    /// What connects a replica whose remote was not reached. A sync makes no folder for a store, as the one of a disk that
    /// is not mounted is missing, too.
    private static func keptAddress(_ remote: String) -> String {
        switch try? RemoteAddress(absolute: remote) {
        case .folder, .ssh:
            "The address is kept. When it can be reached, run filesinki init --remote "
                + "\(ShellWord.shown(remote.utf8)) again, which connects to the store there or makes it; "
                + "with another URL if this one is wrong."
        default:
            "The address is kept: the next filesinki sync connects. If it is wrong, run filesinki init "
                + "--remote URL again."
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

/// `clone`: a replica of a store that is there.
struct CloneCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "clone",
        abstract: "Create a replica of an existing store, with all its files.",
        discussion: """
            The folder is created. The files of one that is there are merged with the store's, and \
            sent to it; at a terminal, clone asks first.

            With --only, a partial replica that holds only these files and folders. Everything else \
            stays in the store and is neither written here nor deleted elsewhere. The replica keeps \
            the choice; filesinki only changes it. Give --only once for each path.
            """)

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

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Hold only this file or folder of the store.", valueName: "path"))
    var only: [String] = []

    @OptionGroup var patterns: PatternOptions
    @OptionGroup var bandwidth: BandwidthOption
    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup var reaching: AccessOptions
    @OptionGroup var waiting: WaitOptions
    @OptionGroup var report: ReportOptions

    var interruptedWork: String? { InterruptedWork.repeated }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        try bandwidth.apply(to: console)
        let address = try RemoteAddress(url, currentFolder: console.currentFolder)
        try reaching.check(for: address)
        try console.prepare(for: address)
        let path = try FilePlace.absoluteText(dir, in: console.currentFolder)
        let root = RootChoice(path: path, origin: .given)
        let chosen = try only.map { try Self.chosenPath($0, root, in: console) }
        let patterns = try patterns.patterns
        var options = try RootOptions.make(state: state).replicaOptions(root: path, in: console)
        let access = try reaching.apply(to: &options, in: console)
        if !self.patterns.include.isEmpty, self.patterns.exclude.isEmpty, only.isEmpty {
            console.say(Self.includeNote)
        }
        guard try await Self.mayMerge(options, in: console) else { return .negative }
        console.detail("Connecting to \(printable(address.text.utf8)).")
        // One connection for all that follows.
        let (connection, made) = try await console.beforeReplica(at: path, isMaking: false, address)
        {
            try await connect(options, address, only: chosen, in: console)
        } hint: {
            hint(of: address) + reaching.hint($0, at: address, in: console)
        }
        defer { withExtendedLifetime(connection) {} }
        try console.pin(address, access)
        console.register(root: path, state: options.state, isNew: true)
        let session = Session(
            replica: try await Replica.open(options, writable: true), root: root,
            console: console, settings: options)
        try console.show(made)
        let code = try await session.run { $0.patterns = patterns }
        sayExcluded(in: console)
        guard !chosen.isEmpty else { return code }
        let isAllKnown = try await Self.reportUnknownPaths(of: session)
        return isAllKnown || code != .done ? code : .negative
    }

    private static let includeNote =
        "--include adds what an ignore file leaves out, and leaves nothing out itself. To hold "
        + "only some paths: filesinki clone URL DIR --only PATH."

    /// Reports the chosen paths that the store does not have.
    ///
    /// - Returns: Whether it has all of them.
    private static func reportUnknownPaths(of session: Session) async throws -> Bool {
        let unknown = try await session.replica.unknownChosenPaths()
        for path in unknown { try session.console.report(.chosenNotFound(path)) }
        return unknown.isEmpty
    }

    private func sayExcluded(in console: Console) {
        guard !patterns.exclude.isEmpty else { return }
        console.say(
            "--exclude held for this run: the next sync receives what it left out. To leave that out "
                + "for good, list it in .filesinki/ignore, or hold only some paths: filesinki only "
                + "set PATH.")
    }

    /// Connects to the store, and makes the replica.
    private func connect(
        _ options: ReplicaOptions, _ address: RemoteAddress, only chosen: [RelativePath],
        in console: Console
    ) async throws -> (connection: any Sendable, made: InitReport) {
        do {
            let connection = try options.connect(address.text)
            // A mistyped address must not make a store, and a store that is away makes no replica.
            let made = try await Replica.initialize(
                options, address: address.text,
                deviceName: try DeviceName.chosen(device, in: console),
                makesStore: false, keys: passphrase.keys(in: console), only: chosen,
                rootMode: Self.rootMode)
            return (connection, made)
        } catch let failure as Failure {
            throw address.wordedBelowStore(failure, cloningTo: dir)
        }
    }

    /// A folder of the user's own is made as by any other program; only the umask makes it private.
    static let rootMode: UInt32 = 0o777

    /// Says that a folder of files is merged with the store and sent to it, and asks where somebody can answer.
    private static func mayMerge(
        _ options: ReplicaOptions, in console: Console
    ) async throws -> Bool {
        guard try Replica.cloneMerges(options) else { return true }
        let said =
            "\(printable(options.root.utf8)) has files, which are merged with the store's and sent to it."
        guard console.terminals.input, console.terminals.talk else {
            console.say(said)
            return true
        }
        console.ask(said + " Go on? [y/N]")
        let answer = console.readAnswer()?.lowercased() ?? ""
        if ["y", "yes"].contains(answer) { return true }
        console.say("Nothing was changed.")
        return false
    }

    /// What a name without a slash may mean that is no folder here: a host.
    private func hint(of address: RemoteAddress) -> String {
        guard case .folder(let path) = address, !url.contains("/"), !StateFile.exists(path) else {
            return ""
        }
        return " For a host with ssh write \(url):PATH."
    }

    private static func chosenPath(
        _ argument: String, _ root: RootChoice, in console: Console
    ) throws -> RelativePath {
        if let path = try root.path(argument, currentFolder: console.currentFolder) { return path }
        throw Failure(
            .usage, path: argument, "The path is the root itself.",
            remedy: "Give paths below it, or leave out --only.")
    }
}

extension Failure {
    /// A chosen path that the store does not have.
    fileprivate static func chosenNotFound(_ path: RelativePath) -> Failure {
        let pattern =
            PathPattern.isPattern("\(path)")
            ? "A pattern is not taken, only a file or a folder. " : ""
        return Failure(
            .notFound, path: path.bytes, "The store has no such path.",
            remedy: pattern
                + "The replica was made, and holds the path once the store has it. To choose "
                + "other paths: filesinki only set PATH, then filesinki sync.")
    }
}
