import ArgumentParser
import FilesinkiDirectory
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiText

/// `remote`: the store that replicas share.
struct RemoteCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "remote",
        abstract: "Show, set or check the remote.",
        subcommands: [
            RemoteShowCommand.self, RemoteSetCommand.self, RemoteCheckCommand.self,
        ],
        defaultSubcommand: RemoteShowCommand.self)

    func run(in console: Console) async throws -> ExitCode { throw CleanExit.helpRequest(self) }
}

/// `remote show`.
struct RemoteShowCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the remote's address. Exits with 1 if none is set.")

    @Flag(name: .long, help: "Also ask the remote whether the store was moved.")
    var moved = false

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(
            replica, writable: false, remote: false, in: console)
        let remote = await session.replica.remoteAddress
        if moved, remote != nil, let found = try await session.replica.findMove() {
            try console.show([Problem(RelativePath(unchecked: []), found)], type: "notice")
        }
        let store = await session.replica.storeID
        if report.json {
            var object: JSONObject = ["type": "remote"]
            object.add("remote", remote)
            object.add("store", store.isEmpty ? nil : hexadecimal(store))
            try console.output.json(object)
        } else if let remote {
            try console.output.line(printable(remote.utf8))
        } else {
            console.say(
                (console.hints.outside == nil
                    ? "The replica \(printable(session.root.path.utf8)) has no remote. " : "")
                    + Failure.setRemote)
        }
        return remote == nil ? .negative : .done
    }
}

/// `remote set`.
struct RemoteSetCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set the store's new address, or, with --accept, another store.",
        discussion: """
            A new address of the same store is set at once, unless it lacks what this device has seen. \
            That one, and another store, needs --accept: both sides are then merged as at a first \
            sync. A file here is deleted or replaced only if it is an old version of which the store still \
            has the content. What was deleted in the store that is left must \
            have been received here, or it is sent again, and what was deleted here must have been sent, or \
            it comes back: while that store can be read, and one of both is missing, the command exits \
            with 1. Values and records are not carried over; the command says how to do that. Where the former store \
            is encrypted and the new one is not, it says so.

            With --migrate, the whole store with its history is first copied to the new address, \
            which may be of another kind; with --encrypt the copy is encrypted. The copy of an encrypted store \
            is encrypted, too, with the same keys; into the place where it was before it was encrypted, it \
            is copied with --no-encrypt only, in plain text. An interrupted copy is completed by the same \
            command. The old store stays as it is, with a note that says where it \
            was moved. On each other device, run filesinki remote set with the new address. Until then \
            each sync there says so, and a command that would send something, or prune, stops with 7 and sends nothing.
            """)

    @Argument(help: "The store's address.")
    var url: String

    @Flag(name: .long, help: "Accept the store at this address as it is now.")
    var accept = false

    @Flag(name: .long, help: "Copy the store to this address first.")
    var migrate = false

    @Flag(name: .long, help: "With --migrate: encrypt the copy.")
    var encrypt = false

    @Flag(
        name: .long,
        help: "With --migrate: copy an encrypted store into its former place, in plain text.")
    var noEncrypt = false

    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup var reaching: AccessOptions
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    var interruptedWork: String? { migrate ? InterruptedWork.repeated : nil }

    func validate() throws {
        if encrypt, !migrate { throw ValidationError("--encrypt needs --migrate.") }
        if noEncrypt, !migrate { throw ValidationError("--no-encrypt needs --migrate.") }
        if encrypt, noEncrypt { throw ValidationError("Give --encrypt or --no-encrypt.") }
        if accept, migrate { throw ValidationError("Give --accept or --migrate.") }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let address = try RemoteAddress(url, currentFolder: console.currentFolder)
        try reaching.check(for: address)
        try console.prepare(for: address)
        // The old remote of a copy is reached as before: the options are for the new one.
        let session = try await Session.open(
            replica, writable: true, remote: migrate || accept, with: migrate ? nil : reaching,
            in: console)
        var isDecrypted = false
        do {
            if migrate {
                try await copyStore(to: address, session)
            } else {
                isDecrypted = try await useStore(at: address, session)
            }
        } catch let failure as Failure {
            throw await worded(failure, at: address, session)
        }
        let access = try reaching.access(of: session.settings, in: console)
        try console.pin(address, access)
        console.askHostAnew(access)
        if report.json {
            var object: JSONObject = ["type": "remote"]
            object.add("remote", address.text)
            object.add("decrypted", isDecrypted ? true : nil)
            try console.output.json(object)
        }
        console.say("The remote is \(printable(address.text.utf8)).")
        return .done
    }

    /// Uses the store at an address as it is.
    ///
    /// - Returns: Whether the former store is encrypted, and this one is not; it is said, too.
    private func useStore(at address: RemoteAddress, _ session: Session) async throws -> Bool {
        let console = session.console
        let former = await session.replica.remoteAddress
        let wasEncrypted = await session.replica.isStoreEncrypted
        let notices = try await session.replica.setRemote(
            address.text, acceptingOther: accept, passphrase.keys(in: console),
            lacking: session.lackingZones)
        try console.show(notices, type: "notice")
        if accept { try console.show(try await session.itemNotices(), type: "notice") }
        guard wasEncrypted, await !session.replica.isStoreEncrypted else { return false }
        let back = former.map {
            " To go back to the former one, run filesinki remote set \(ShellWord.shown($0.utf8))"
                + (accept ? " --accept." : ".")
        }
        console.say(
            "The store is not encrypted; the former one is. Whoever can read \(printable(address.text.utf8)) "
                + "can read what is sent from now on." + (back ?? ""))
        return true
    }

    /// A failure at the new address; that of the replica's own store is left as it is.
    private func worded(
        _ failure: Failure, at address: RemoteAddress, _ session: Session
    ) async -> Failure {
        guard await session.replica.remoteAddress != address.text else { return failure }
        var worded = address.worded(failure, isMaking: migrate)
        guard !migrate, worded.isOfMissingFolder(address) else { return worded }
        guard accept else {
            worded.remedy += " To copy the store there first, add --migrate."
            return worded
        }
        let isEncrypted = await session.replica.isStoreEncrypted
        let keys = passphrase.keys(in: session.console)
        worded.remedy +=
            " "
            + Failure.waysToOtherStore(
                at: address.text, isEncrypted: isEncrypted,
                expectsEncryption: keys.expectsEncryption)
        return worded
    }

    private func copyStore(to address: RemoteAddress, _ session: Session) async throws {
        let console = session.console
        // Before a folder is made, which the next run would sync.
        try RootPlacement(root: session.root.path).check(against: address.text)
        if await session.replica.remoteAddress != address.text {
            try RootPlacement.checkIsInNoStore(address.text)
        }
        // And before it is known that there is something to copy.
        try await requireSource(copyingTo: address, session)
        let connection = try await console.makeFolder(of: address, for: session.settings)
        defer { withExtendedLifetime(connection) {} }
        let access = try reaching.access(of: session.settings, in: console)
        let keys = passphrase.keys(isEncrypting: encrypt, mayDecrypt: noEncrypt, in: console)
        let copied = try await console.withProgress { line in
            try await session.replica.migrate(
                to: address.text, keys,
                connect: console.connector(access, of: session.settings),
                progress: { line?.show($0) })
        }
        if report.json {
            var object: JSONObject = ["type": "migration"]
            object.add("from", copied.from)
            object.add("objects", copied.objects)
            object.add("sent_bytes", copied.bytes)
            object.add("decrypted", copied.isDecrypted ? true : nil)
            try console.output.json(object)
        }
        try console.show(copied.notices, type: "notice")
        guard copied.from != address.text else {
            let ended = copied.endedMove.map {
                " It goes on here: the note that it was moved to \(printable($0.utf8)) was removed."
            }
            return console.say(
                "The store is at this address already; nothing was copied." + (ended ?? ""))
        }
        let kept = copied.optionForKeptKeys
        let options =
            reaching.ofOtherDevices + (encrypt && kept == nil ? passphrase.ofOtherDevices : "")
        let sameKeys = kept.map {
            " The copy is encrypted, too, with the same keys: a device that has not opened them yet adds\($0)."
        }
        console.say(
            "Copied \(CountText.text(copied.objects, "object")), \(SizeText.text(copied.bytes)). "
                + "The store at \(printable(copied.from.utf8)) is unchanged;",
            other: " on each other device, run filesinki remote set "
                + "\(ShellWord.shown(address.text.utf8))\(options) before it syncs again."
                + (sameKeys ?? ""))
        guard copied.isDecrypted else { return }
        console.say(
            "The copy is not encrypted: whoever can read \(printable(address.text.utf8)) can read what was "
                + "copied, and what is sent from now on.")
    }
}

extension Session {
    /// Says that what was read is of a store that was moved, as far as this replica knows.
    func showKnownMove() async throws {
        guard let moved = try await replica.knownMove() else { return }
        try console.output.flush()
        try console.show([moved], type: "notice")
    }
}

extension Failure {
    /// Whether the folder of an address is not there.
    fileprivate func isOfMissingFolder(_ address: RemoteAddress) -> Bool {
        guard code == .away, case .folder(let path) = address else { return false }
        return FileCall.status(Array(path.utf8)) == nil
    }
}

/// `remote check`.
struct RemoteCheckCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Test whether a remote provides the guarantees that a store needs.",
        discussion: """
            Many writers race for the same slots, in a temporary folder that is removed \
            afterwards. Exits with 7 if the remote lacks a guarantee, and names it, or denies \
            access, and with 75 if it cannot be reached. With --json the first line has the \
            status of the account: available, no-account, restricted, undetermined or unavailable.
            """)

    @Argument(help: "The address; this replica's remote if omitted.")
    var url: String?

    @OptionGroup var reaching: AccessOptions
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let (address, connect, replica) = try await place(in: console)
        // What other machines have, these say themselves.
        if url != nil, case .folder(let path)? = try? RemoteAddress(absolute: address) {
            try RootPlacement.checkNewStore(at: path)
        }
        console.detail("Connecting to \(printable(address.utf8)).")
        let result: ProbeReport
        do {
            // One login for this and for the test.
            let remote = try url.map { _ in try connect(address) }
            defer { withExtendedLifetime(remote) {} }
            if let remote { try await Self.refuseReplica(at: address, remote, console) }
            result = try await console.withProgress { line in
                let probe = SlotProbe(
                    systemContext: console.systemContext,
                    progress: { progress in
                        // Before the remote is reached, ssh may be asking for a password.
                        if progress.done > 0 { line?.show(Progress(testing: progress)) }
                    }
                ) { try connect(address) }
                return try await probe.testRemote()
            }
        } catch let failure as Failure where failure.code != .interrupted {
            try show(failure.accountStatus, in: console)
            guard url != nil else { throw failure }
            throw try RemoteAddress(absolute: address).worded(failure)
        }
        try show(.available, in: console)
        try show(result.checks, in: console)
        try await showMove(of: replica, in: console)
        guard !result.isFit else { return .done }
        throw Failure(
            .unfitStore, path: address, "The remote lacks a guarantee that a store needs.",
            remedy: result.alternative)
    }

    /// Refuses the folder of a replica, in which no store is made, whatever it guarantees.
    private static func refuseReplica(
        at address: String, _ remote: any Remote, _ console: Console
    ) async throws {
        guard let placed = remote.unwrapped(as: (any PlacedRemote).self) else { return }
        let found = try await Retries(console.systemContext).performRequest { _ in
            try await placed.misplacement()
        }
        guard found == .replica else { return }
        throw Failure.misplacedStore(address, MisplacedStore.replica.sentence)
    }

    private func place(
        in console: Console
    ) async throws -> (
        address: String, connect: @Sendable (String) throws -> any Remote, replica: Replica?
    ) {
        if let url {
            let address = try RemoteAddress(url, currentFolder: console.currentFolder)
            try reaching.check(for: address)
            return (address.text, console.connector(try reaching.access(in: console)), nil)
        }
        let session = try await Session.open(
            replica, writable: false, with: reaching, in: console)
        guard let address = await session.replica.remoteAddress else {
            throw Failure(
                .notFound, path: session.root.path, "The replica has no remote.",
                remedy: "Give the address to check.")
        }
        console.askHostAnew(try reaching.access(of: session.settings, in: console))
        return (address, session.settings.connect, session.replica)
    }

    /// Says that the store of the replica was moved. What a store that cannot be opened has to say is for `doctor`.
    private func showMove(of replica: Replica?, in console: Console) async throws {
        do {
            guard let moved = try await replica?.findMove() else { return }
            try console.show(
                [Problem(RelativePath(unchecked: []), moved)], type: "notice")
        } catch let failure as Failure where failure.code != .interrupted {
            console.detail(failure.message)
        }
    }

    /// For a person, the failure says it.
    private func show(_ status: AccountStatus, in console: Console) throws {
        guard report.json else { return }
        try console.output.json(["type": "account", "status": .string(status.rawValue)])
    }

    private func show(_ checks: [ProbeReport.Check], in console: Console) throws {
        if report.json {
            for check in checks { try console.output.json(Self.json(check)) }
            return
        }
        let widest = checks.map(\.name.count).max() ?? 0
        for check in checks {
            let name = check.name + String(repeating: " ", count: widest - check.name.count)
            let style = console.outputStyle
            let verdict = check.holds ? style.green("holds ") : style.red("broken")
            let below = String(repeating: " ", count: widest + 10)
            // The colour of the verdict takes no columns.
            let room = console.outputColumns.map { max(20, $0 - below.count) }
            let texts = [check.guarantee, check.detail] + (check.holds ? [] : [check.consequence])
            for (number, text) in texts.flatMap({ FlowText.words($0, within: room) }).enumerated() {
                try console.output.line((number == 0 ? "\(name)  \(verdict)  " : below) + text)
            }
        }
    }

    private static func json(_ check: ProbeReport.Check) -> JSONObject {
        var object: JSONObject = ["type": "guarantee"]
        object.add("name", check.name)
        object.add("guarantee", check.guarantee)
        object.add("holds", check.holds)
        object.add("detail", check.detail)
        object.add("consequence", check.consequence)
        return object
    }
}
