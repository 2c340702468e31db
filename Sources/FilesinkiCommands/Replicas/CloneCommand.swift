import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiRules
import FilesinkiSystem
import FilesinkiText

/// `clone`: a replica of a store that is there.
struct CloneCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "clone",
        abstract: "Create a replica of an existing store, with all its files.",
        discussion: """
            The folder is created. The files of one that is there are merged with the store's, and \
            sent to it; at a terminal, clone asks first. A file of which the store has a newer version, \
            or which was deleted there, is replaced or deleted, if the store still has its content: \
            filesinki undelete or restore brings it back.

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
        try AddressAsFolder.check(dir, in: console) {
            AddressAsFolder.isAddress(url)
                ? "Give the folder to create behind the one address"
                : "The address comes first: filesinki clone \($0) \(ShellWord.path(url.utf8))"
        }
        let address = try RemoteAddress(url, currentFolder: console.currentFolder)
        try reaching.check(for: address)
        try console.prepare(for: address)
        let path = try FilePlace.absoluteText(dir, in: console.currentFolder)
        try Console.refuseFileSystem(
            path, remedy: "Give the folder to create: filesinki clone URL DIR.")
        let root = RootChoice(path: path, origin: .given)
        let chosen = try only.map { try root.chosenPath($0, ofStoreAt: address, in: console) }
        let patterns = try patterns.patterns
        var options = try RootOptions.make(state: state).replicaOptions(root: path, in: console)
        let access = try reaching.apply(to: &options, in: console)
        if !self.patterns.include.isEmpty, self.patterns.exclude.isEmpty, only.isEmpty {
            console.say(Self.includeNote)
        }
        let isMerging = try Replica.cloneMerges(options)
        let exclusions = try isMerging ? Replica.foreignExclusions(options) : []
        // Where nobody can answer, the store's settings decide first.
        if console.canAsk {
            try console.show(notices: exclusions.notices(.beforeClone, in: options.root))
        }
        guard try !isMerging || Self.mayMerge(options, in: console) else { return .negative }
        console.detail("Connecting to \(printable(address.text.utf8)).")
        // One connection for all that follows.
        let (connection, made) = try await console.beforeReplica(at: path, isMaking: false, address)
        {
            try await connect(options, address, only: chosen, in: console)
        } hint: {
            hint(of: address) + reaching.hint($0, at: address, in: console)
        }
        defer { withExtendedLifetime(connection) {} }
        if isMerging, !console.canAsk { console.say(Self.merging(filesOf: options.root)) }
        try console.pin(address, access)
        console.register(root: path, state: options.state, isNew: true)
        let session = Session(
            replica: try await Replica.open(options, writable: true), root: root,
            console: console, settings: options)
        try console.show(made)
        let code: ExitCode
        do {
            code = try await session.run { $0.patterns = patterns }
        } catch {
            try? Self.say(exclusions, of: session)
            throw error
        }
        try Self.say(exclusions, of: session)
        sayExcluded(options.state, in: console)
        guard !chosen.isEmpty else {
            if code == .done { try await Self.sayEmpty(session) }
            return code
        }
        let isAllKnown = try await Self.reportUnknownPaths(of: session)
        return isAllKnown || code != .done ? code : .negative
    }

    /// Says what git leaves out and is synced, if the store's settings have not ended that, nor a question has named it.
    private static func say(_ exclusions: ForeignExclusions, of session: Session) throws {
        guard !exclusions.isEmpty, !session.console.canAsk else { return }
        let left = try exclusions.intersection(Replica.foreignExclusions(session.settings))
        try session.console.show(notices: left.notices(.afterClone, in: session.settings.root))
    }

    /// Says that the store has no commit, which a mistyped address or a forgotten sync may be the reason of.
    private static func sayEmpty(_ session: Session) async throws {
        guard !session.console.outputOptions.isJSON,
            try await session.replica.status().token?.sequence ?? 0 == 0
        else { return }
        session.console.say("The store is empty: nothing to receive.")
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

    /// - Parameter state: The replica's state folder, if it is another one than `.filesinki`.
    private func sayExcluded(_ state: String?, in console: Console) {
        guard !patterns.exclude.isEmpty else { return }
        let list = state.map { ShellWord.shown(($0 + "/ignore").utf8) } ?? ".filesinki/ignore"
        console.say(
            "--exclude held for this run: the next sync receives what it left out. To leave that out "
                + "for good, list it in \(list), or hold only some paths: filesinki only "
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
                makesStore: false, runsAtOnce: true, keys: passphrase.keys(in: console),
                only: chosen, rootMode: Self.rootMode)
            return (connection, made)
        } catch let failure as Failure {
            throw address.wordedBelowStore(failure, cloningTo: dir)
        }
    }

    /// A folder of the user's own is made as by any other program; only the umask makes it private.
    static let rootMode: UInt32 = 0o777

    /// Asks where somebody can answer whether a folder of files is to be merged with the store and sent to it. Elsewhere
    /// that is said once the store was found.
    ///
    /// - Returns: False if the user declined.
    /// - Throws: `Failure` with code `usage` where nobody can, and it is the home folder: it would be sent at once.
    private static func mayMerge(
        _ options: ReplicaOptions, in console: Console
    ) throws -> Bool {
        let isHome = console.isHome(options.root)
        guard console.canAsk else {
            guard !isHome else { throw Failure.wouldSendHome(options.root) }
            return true
        }
        return console.confirms(
            isHome ? Console.wholeHome(options.root) : merging(filesOf: options.root))
    }

    private static func merging(filesOf root: String) -> String {
        "\(printable(root.utf8)) has files, which are merged with the store's and sent to it."
    }

    /// What a name may mean that is no folder here, nor its first part: a host.
    private func hint(of address: RemoteAddress) -> String {
        guard case .folder(let path) = address, !StateFile.exists(path),
            let first = url.first, !"/.~".contains(first)
        else { return "" }
        let host = url.prefix { $0 != "/" }
        var rest = url.dropFirst(host.count + 1)
        while rest.last == "/" { rest.removeLast() }
        guard !rest.isEmpty else { return " For a host with ssh write \(host):PATH." }
        let isHere = StateFile.exists(path.dropLast(rest.count + 1).description)
        return isHere ? "" : " For a host with ssh write \(printable("\(host):\(rest)".utf8))."
    }
}

extension Failure {
    /// A clone into the home folder, where nobody can be asked.
    fileprivate static func wouldSendHome(_ root: String) -> Failure {
        Failure(
            .usage, path: root,
            "This is your home folder: all of it would be sent at once, with keys and caches.",
            remedy:
                "Give another folder. Or run clone at a terminal, which asks; or filesinki init \(ShellWord.path(root.utf8)) "
                + "--remote URL, list in .filesinkiignore what stays private, and run filesinki sync."
        )
    }

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
