import FilesinkiEncryption
import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiRules
import FilesinkiStore
import FilesinkiSystem
import FilesinkiText

extension Replica {
    /// Makes a folder a replica. An existing replica gets the remote, or is left unchanged.
    ///
    /// - Parameters:
    ///   - address: The remote. A store is created there if it has none.
    ///   - deviceName: The name of the device of a new replica.
    ///   - isRenaming: Whether an existing replica gets the name, too.
    ///   - makesStore: If false, nothing is created on either side unless the remote has a store.
    ///   - runsAtOnce: Whether a run follows, so that the report has no notices on what to do before.
    ///   - keys: How the key of an encrypted store is opened, and whether a new store is encrypted.
    ///   - paths: The paths that a new replica holds; empty for all. An existing one must hold the same.
    ///   - rootMode: The mode of a folder that is made, as far as the umask allows.
    ///   - progress: Called while a remote is tested that is to get a store.
    /// - Throws: Code `not-allowed` if the store is encrypted and its key cannot be opened, or is not and should be;
    ///   `unfit-store` if the remote lacks a guarantee that a store needs, `exists` if
    ///   the replica has another remote, `usage` if the store and the root are nested; without
    ///   `makesStore` also `not-found` and `away`.
    package static func initialize(
        _ options: ReplicaOptions, address: String?, deviceName: String,
        isRenaming: Bool = false, makesStore: Bool = true, runsAtOnce: Bool = false,
        keys: KeyOptions = .none, only paths: [RelativePath] = [], rootMode: UInt32 = 0o700,
        progress: (@Sendable (Progress) -> Void)? = nil
    ) async throws -> InitReport {
        let placement = RootPlacement(root: options.root)
        if let address { try placement.check(against: address) }
        let state = options.stateFolder
        let existing = try ReplicaConfig.read(state)
        if existing == nil { try placement.checkIsNoStore() }
        var config = try configuration(
            of: existing, options, address: address, deviceName: deviceName)
        if existing != nil, !paths.isEmpty { try requireChoice(paths, in: state) }
        if isRenaming { config.device.rename(to: deviceName) }
        let isFirst = existing?.store.isEmpty != false
        if isFirst { try placement.check(against: config) }
        var report = InitReport(of: config, existing, placement)
        let stores = StoreOpening(options, keys, device: config.device, progress: progress)
        // If the remote is away, the first sync does it.
        let key = try await connectStore(
            &config, &report, stores, options, mayBeAway: makesStore && !keys.isEncrypting,
            makesStore: makesStore)
        if isFirst { try placement.check(against: config) }
        if existing == nil {
            let hasStore = config.remote != nil && !report.createdStore
            report.notices += try ForeignIgnoreFiles(options).notices(
                runsAtOnce ? nil : hasStore ? .beforeSyncWithStore : .beforeSync)
        }
        report.store = hexadecimal(config.store)
        report.isEncrypted = config.keyFingerprint != nil
        report.isNewFolder = !StateFile.exists(options.root)
        try StateFile.makeFolder(options.root, mode: rootMode)
        if existing == nil, !paths.isEmpty { try recordChoice(paths, in: state) }
        if config != existing {
            try writeState(
                state, config, options, key,
                tellsUnread: existing == nil && ForeignIgnoreFiles(options).hasUnread)
        } else {
            report.isMarkedAgain = try markAgain(config, options)
        }
        report.isConnected = report.away == nil && isFirst
        let hadStore = existing?.store.isEmpty == false
        if address != nil, hadStore { await verifyStore(options, &report) }
        return report
    }

    /// The configuration of a new replica, or that of an existing one with its remote.
    ///
    /// - Throws: Code `exists` if the replica has another remote.
    private static func configuration(
        of existing: ReplicaConfig?, _ options: ReplicaOptions, address: String?, deviceName: String
    ) throws(Failure) -> ReplicaConfig {
        var config =
            existing
            ?? ReplicaConfig(
                device: Device(id: options.systemContext.randomBytes(16), name: deviceName),
                remote: address)
        guard !config.store.isEmpty else {
            // One that has never met a store may have been given a wrong address.
            config.remote = address ?? config.remote
            return config
        }
        if let had = config.remote, let address, had != address {
            throw Failure(
                .exists, path: options.root, "The replica's remote is \(had).",
                remedy: "To change it, run filesinki remote set \(ShellWord.shown(address.utf8)). "
                    + Failure.lostStoreRemedy)
        }
        config.remote = config.remote ?? address
        return config
    }

    /// Looks whether the store that a replica knows is at its remote.
    private static func verifyStore(
        _ options: ReplicaOptions, _ report: inout InitReport
    ) async {
        do {
            let context = try await ReplicaContext.open(options, writable: false)
            _ = try await context.zone.connected()
            report.isConnected = true
        } catch {
            report.away =
                error as? Failure
                ?? Failure(.io, path: options.root, "\(error)", remedy: "Run filesinki doctor.")
        }
    }

    /// - Returns: Whether the root had lost its marker.
    private static func markAgain(
        _ config: ReplicaConfig, _ options: ReplicaOptions
    ) throws(Failure) -> Bool {
        let root = try RootFolder(path: options.root)
        guard try config.checkMarker(of: root) == .missing else { return false }
        try RootMarker(root: root).write(config.device.id)
        return true
    }

    private static func requireChoice(
        _ paths: [RelativePath], in state: StateFolder
    ) throws(Failure) {
        guard try state.choiceNote().choice != PathChoice(paths) else { return }
        throw Failure(
            .exists, path: state.path, "The replica exists already and holds other paths.",
            remedy: "Change them with filesinki only set PATH.")
    }

    /// Records which paths a new replica holds: before it is one, so that no run of it can be complete.
    private static func recordChoice(_ paths: [RelativePath], in state: StateFolder) throws {
        try StateFile.makeFolder(state.path)
        try StateFile.replace(state.only, with: PathChoiceNote(PathChoice(paths)).bytes)
    }

    /// Connects to the store, or creates it.
    ///
    /// - Parameter mayBeAway: Whether a remote that is away is no failure.
    /// - Returns: The key of an encrypted store.
    private static func connectStore(
        _ config: inout ReplicaConfig, _ report: inout InitReport, _ stores: StoreOpening,
        _ options: ReplicaOptions, mayBeAway: Bool, makesStore: Bool
    ) async throws -> StoreKey? {
        guard let address = config.remote, config.store.isEmpty else { return nil }
        do {
            let remote = try options.connect(address)
            let (format, key, isNew) = try await stores.open(
                at: remote, address, makesStore: makesStore)
            report.createdStore = isNew
            if isNew, let notice = await StorePlace.notice(remote, address) {
                report.notices.append(notice)
            }
            config.store = format.id
            config.epoch = format.epoch
            config.keyFingerprint = key?.fingerprint
            return key
        } catch let failure as Failure
            where failure.code == .away && mayBeAway
        {
            report.away = failure
            return nil
        }
    }

    private static func writeState(
        _ state: StateFolder, _ config: ReplicaConfig, _ options: ReplicaOptions,
        _ key: StoreKey?, tellsUnread: Bool
    ) throws {
        try StateFile.makeFolder(state.path)
        try key?.write(state.storeKey)
        try StateFile.makeFolder(options.root + "/" + RelativePath.stateFolder)
        try RootMarker(root: RootFolder(path: options.root)).write(config.device.id)
        let database = try ManifestDatabase.open(at: state.manifest, create: true)
        // An acknowledgement carries the name of the device: the next commit writes one with the new name.
        try database.write { writer in
            try writer.set([.acknowledgement: 0, .acknowledgementTime: 0])
            if tellsUnread { try writer.noteUnreadIgnoreFile(true) }
        }
        _ = consume database
        // The first run may be one of cron.
        try options.userIgnoreFiles().record(in: state)
        try StateFile.replace(state.config, with: Array(config.text.utf8))
    }
}

/// The result of `init`.
package struct InitReport: Sendable {
    package var root: String
    package var device: Device
    package var remote: String?
    /// Whether the folder was a replica already.
    package var existed: Bool
    /// Whether this call created the folder.
    package var isNewFolder = false
    /// Whether the root had lost its marker, and has it again.
    package var isMarkedAgain = false
    /// Whether this call created the store.
    package var createdStore: Bool
    /// Whether the store is encrypted.
    package var isEncrypted = false
    /// Whether the store was seen.
    package var isConnected = false
    /// Why the remote was not reached, or what is wrong there; nil if it was, or if there is none.
    package var away: Failure?
    /// The name that an existing replica's device had before; nil if it has not changed.
    package var formerName: String?
    /// The store's id in hexadecimal; empty if the store was not reached.
    package var store: String
    /// Warnings for the user.
    package var notices: [Failure] = []
}

extension InitReport {
    /// The report of a replica before its store is asked.
    fileprivate init(
        of config: ReplicaConfig, _ existing: ReplicaConfig?, _ placement: RootPlacement
    ) {
        self.init(
            root: placement.root, device: config.device, remote: config.remote,
            existed: existing != nil, createdStore: false, away: nil, store: "")
        formerName = existing?.device.name == config.device.name ? nil : existing?.device.name
        if existing == nil, let outer = placement.surroundingReplica() {
            notices.append(.nestedReplica(Array(root.utf8), in: outer))
        }
    }
}

extension Device {
    /// Renames the device, unless its name is the wanted one with the digits that distinguish it
    /// from another device of that name.
    fileprivate mutating func rename(to wanted: String) {
        if Device(id: id, name: wanted).distinctName != name { name = wanted }
    }
}

/// The folder that a new store is made in.
enum StorePlace {
    /// Whether a folder has files of other programs; false for a remote that cannot tell, or cannot be read.
    static func holdsOtherFiles(_ remote: any Remote, _ address: String) async -> Bool {
        if case .folder(let path)? = try? RemoteAddress(absolute: address) {
            return (try? RootFolder(path: path).names()).map(StoreFolderNames.includeOthers)
                ?? false
        }
        return await (try? remote.unwrapped(as: (any PlacedRemote).self)?.holdsOtherFiles())
            ?? false
    }

    /// What a user may not have meant of a new store: it is among other files, or in the home folder of a host.
    static func notice(_ remote: any Remote, _ address: String) async -> Failure? {
        let isAmongFiles = await holdsOtherFiles(remote, address)
        guard case .ssh(let place)? = try? RemoteAddress(absolute: address) else {
            return isAmongFiles ? notice(address) : nil
        }
        if place.isHomeFolder {
            return Failure(
                .exists, path: address,
                "The new store lies in the home folder there"
                    + (isAmongFiles ? ", among other files." : "."),
                remedy: "If that is not intended, give a folder in it: HOST:NAME.")
        }
        guard isAmongFiles else { return nil }
        return Failure(
            .exists, path: address, "The new store lies among other files.",
            remedy: "If that is not intended, give an empty folder.")
    }

    private static func notice(_ address: String) -> Failure {
        Failure(
            .exists, path: address, "The new store lies among other files.",
            remedy: "If these are the files to sync, the folders were given in the wrong order: "
                + "filesinki init FOLDER --remote STORE.")
    }
}
