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
import Glibc

extension Replica {
    /// Makes a folder a replica. An existing replica gets the remote, or is left unchanged.
    ///
    /// - Parameters:
    ///   - address: The remote. A store is created there if it has none.
    ///   - deviceName: The name of the device of a new replica.
    ///   - isRenaming: Whether an existing replica gets the name, too.
    ///   - makesStore: If false, nothing is created on either side unless the remote has a store.
    ///   - keys: How the key of an encrypted store is opened, and whether a new store is encrypted.
    ///   - paths: The paths that a new replica holds; empty for all. An existing one must hold the same.
    ///   - progress: Called while a remote is tested that is to get a store.
    /// - Throws: Code `not-allowed` if the store is encrypted and its key cannot be opened, or is not and should be;
    ///   `unfit-store` if the remote lacks a guarantee that a store needs, `exists` if
    ///   the replica has another remote, `usage` if the store and the root are nested; without
    ///   `makesStore` also `not-found` and `away`.
    package static func initialize(
        _ options: ReplicaOptions, address: String?, deviceName: String,
        isRenaming: Bool = false, makesStore: Bool = true, keys: KeyOptions = .none,
        only paths: [RelativePath] = [], progress: (@Sendable (Progress) -> Void)? = nil
    ) async throws -> InitReport {
        let placement = RootPlacement(root: options.root)
        if let address { try placement.check(against: address) }
        let state = options.stateFolder
        let existing = try ReplicaConfig.read(state)
        if existing == nil {
            try placement.checkIsNoStore()
        }
        var config =
            existing
            ?? ReplicaConfig(
                device: Device(id: options.systemContext.randomBytes(16), name: deviceName),
                remote: address)
        // One that has never met a store may have been given a wrong address.
        let hasStore = existing?.store.isEmpty == false
        if hasStore, let had = existing?.remote, let address, had != address {
            throw Failure(
                .exists, path: options.root, "The replica's remote is \(had).",
                remedy: "To change it, run filesinki remote set \(ShellWord.shown(address.utf8)).")
        }
        if existing != nil, !paths.isEmpty { try requireChoice(paths, in: state) }
        config.remote = hasStore ? config.remote ?? address : address ?? config.remote
        if isRenaming { config.device.rename(to: deviceName) }
        let isFirst = existing?.store.isEmpty != false
        if isFirst { try placement.check(against: config) }
        var report = InitReport(
            root: options.root, device: config.device, remote: config.remote,
            existed: existing != nil, createdStore: false, away: nil, store: "")
        report.formerName =
            existing?.device.name == config.device.name ? nil : existing?.device.name
        if existing == nil, let outer = placement.surroundingReplica() {
            report.notices.append(.nestedReplica(Array(options.root.utf8), in: outer))
        }
        let stores = StoreOpening(options, keys, device: config.device, progress: progress)
        // If the remote is away, the first sync does it.
        let key = try await connectStore(
            &config, &report, stores, options, mayBeAway: makesStore && !keys.isEncrypting,
            makesStore: makesStore)
        if isFirst { try placement.check(against: config) }
        if existing == nil { report.notices += try ForeignIgnoreFiles(options).notices() }
        report.store = hexadecimal(config.store)
        report.isEncrypted = config.keyFingerprint != nil
        try StateFile.makeFolder(options.root)
        if existing == nil, !paths.isEmpty {
            // Before the replica is one, so that no run of it can be complete.
            try StateFile.makeFolder(state.path)
            try StateFile.replace(state.only, with: PathChoiceNote(PathChoice(paths)).bytes)
        }
        if config != existing {
            try writeState(state, config, options, key)
        } else {
            report.isMarkedAgain = try markAgain(config, options)
        }
        report.isConnected = report.away == nil && isFirst
        if address != nil, existing?.store.isEmpty == false {
            await verifyStore(options, &report)
        }
        return report
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
            let isAmongFiles = StorePlace.holdsOtherFiles(address)
            let (format, key, isNew) = try await stores.open(
                at: remote, address, makesStore: makesStore)
            report.createdStore = isNew
            if isNew, isAmongFiles { report.notices.append(StorePlace.notice(address)) }
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
        _ key: StoreKey?
    ) throws {
        try StateFile.makeFolder(state.path)
        try key?.write(state.storeKey)
        try StateFile.makeFolder(options.root + "/" + RelativePath.stateFolder)
        try RootMarker(root: RootFolder(path: options.root)).write(config.device.id)
        let database = try ManifestDatabase.open(at: state.manifest, create: true)
        // An acknowledgement carries the name of the device: the next commit writes one with the new name.
        try database.write { try $0.set([.acknowledgement: 0, .acknowledgementTime: 0]) }
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

extension Device {
    /// Renames the device, unless its name is the wanted one with the digits that distinguish it
    /// from another device of that name.
    fileprivate mutating func rename(to wanted: String) {
        if Device(id: id, name: wanted).distinctName != name { name = wanted }
    }
}

/// The folder that a new store is made in.
enum StorePlace {
    /// What may lie in a folder without being anybody's files: an earlier attempt at a store or at a copy of one, and
    /// what file systems put there.
    private static let accepted: Set<String> = ["devices", "keys", "packs", "zones"]

    /// What file systems put into their root.
    static let ofFileSystems: Set<String> = ["lost+found", "System Volume Information"]

    /// Whether a folder has files of other programs; false for an address that is no folder, or cannot be read.
    static func holdsOtherFiles(_ address: String) -> Bool {
        guard case .folder(let path)? = try? RemoteAddress(absolute: address),
            let names = try? RootFolder(path: path).names()
        else { return false }
        return names.contains { name in
            name.first != UInt8(ascii: ".")
                && !accepted.union(ofFileSystems).contains(String(decoding: name, as: UTF8.self))
        }
    }

    static func notice(_ address: String) -> Failure {
        Failure(
            .exists, path: address, "The new store lies among other files.",
            remedy: "If these are the files to sync, the folders were given in the wrong order: "
                + "filesinki init FOLDER --remote STORE.")
    }
}

/// The position of a root relative to a store in a folder, and to other replicas.
package struct RootPlacement: Sendable {
    /// The root's path, which may not exist yet.
    let root: String

    package init(root: String) { self.root = root }

    /// Refuses a store that is inside the root or around it, because each run would sync the store
    /// itself.
    ///
    /// - Parameter address: The store's address. Addresses other than folders are accepted.
    /// - Throws: `Failure` with code `usage`.
    package func check(against address: String) throws(Failure) {
        guard case .folder(let store)? = try? RemoteAddress(absolute: address) else { return }
        let isInside = Self.isAtOrInside(store, root)
        let isAround = Self.isAtOrInside(root, store)
        guard isInside || isAround else { return }
        let message =
            isInside && isAround
            ? "The root and the store are the same folder."
            : isInside
                ? "The store is inside the root \(printable(root.utf8))."
                : "The root \(printable(root.utf8)) is inside the store."
        throw Failure(
            .usage, path: store, message, remedy: "Use a folder outside the root for the store.")
    }

    /// Refuses a root that is a store, or inside one: its objects would be synced as files, and so changed and deleted.
    ///
    /// - Throws: `Failure` with code `usage`.
    package func checkIsNoStore() throws(Failure) {
        let real = Self.realPath(root)
        var next: String? = real
        while let place = next {
            if Self.isStore(place) {
                let shown = ShellWord.shown(place.utf8)
                throw Failure(
                    .usage, path: root,
                    place == real
                        ? "The folder is a store."
                        : "The folder is inside the store \(printable(place.utf8)).",
                    remedy: "To make a replica of the store, run filesinki clone \(shown) DIR.")
            }
            next = Self.parent(of: place)
        }
    }

    /// Whether a folder is a store. A folder that cannot be read is taken for no store.
    static func isStore(_ folder: String) -> Bool {
        let path = (folder == "/" ? "" : folder) + "/" + StoreFormat.place
        // Not to wait for the writer of a pipe.
        let file = try? FileHandle(path, O_RDONLY | O_NONBLOCK)
        guard let start = try? file?.read(upTo: 64) else { return false }
        return StoreFormat.begins(start)
    }

    /// Refuses a replica inside another one of the same store, because each run of both would sync the files of the
    /// inner one once more, one folder deeper.
    ///
    /// - Parameter config: The inner replica's. One around it whose state is kept elsewhere is not recognized.
    /// - Throws: `Failure` with code `usage`.
    func check(against config: ReplicaConfig) throws(Failure) {
        for outer in surroundingReplicas() {
            let state = StateFolder(root: outer, state: nil)
            guard let other = try? ReplicaConfig.read(state), other.sharesStore(with: config) else {
                continue
            }
            throw Failure(
                .usage, path: root,
                "The folder is inside \(printable(outer.utf8)), which is a replica of the same store.",
                remedy: "Use a folder outside of that replica.")
        }
    }

    /// Whether the root is a replica's.
    var isReplica: Bool { Self.isMarked(Self.realPath(root)) }

    private static func isMarked(_ folder: String) -> Bool {
        access((folder == "/" ? "" : folder) + "/" + RelativePath.stateFolder + "/root", F_OK) == 0
    }

    /// The root of the nearest replica around this root; nil for none.
    package func surroundingReplica() -> String? { surroundingReplicas().first }

    /// The roots of all replicas around this root, the nearest one first.
    private func surroundingReplicas() -> [String] {
        var found: [String] = []
        var folder = Self.realPath(root)
        while let parent = Self.parent(of: folder) {
            if Self.isMarked(parent) { found.append(parent) }
            folder = parent
        }
        return found
    }

    /// Whether a path is a folder or inside it, also through symlinks and mounts.
    private static func isAtOrInside(_ inner: String, _ outer: String) -> Bool {
        let outer = realPath(outer)
        let stamp = FileStamp(at: outer, followingSymlinks: true)
        var next: String? = realPath(inner)
        while let place = next {
            if place == outer { return true }
            if let stamp, let found = FileStamp(at: place, followingSymlinks: true),
                found.isSameInode(as: stamp)
            {
                return true
            }
            next = parent(of: place)
        }
        return false
    }

    private static func parent(of path: String) -> String? {
        guard path != "/", let cut = path.lastIndex(of: "/") else { return nil }
        return cut == path.startIndex ? "/" : String(path[..<cut])
    }

    private static func realPath(_ path: String) -> String {
        String(decoding: realPath(Array(path.utf8)), as: UTF8.self)
    }

    /// Resolves the symlinks of an absolute path. For one that does not exist, resolves the nearest existing parent.
    package static func realPath(_ path: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        if let found = realpath(path.map { CChar(bitPattern: $0) } + [0], nil) {
            defer { free(found) }
            return Array(UnsafeRawBufferPointer(start: found, count: strlen(found)))
        }
        guard path != [slash], let cut = path.lastIndex(of: slash) else { return path }
        let folder = realPath(cut == 0 ? [slash] : Array(path[..<cut]))
        return (folder == [slash] ? [] : folder) + path[cut...]
    }
}

extension Failure {
    /// A replica is inside another one, and both sync its files.
    package static func nestedReplica(_ path: [UInt8], in outer: String) -> Failure {
        Failure(
            .nestedReplica, path: path,
            "This replica is inside the replica \(printable(outer.utf8)); both sync its files.",
            remedy: "If that is not intended, list it in the outer .filesinkiignore.")
    }

    /// A replica of the same store is below the root.
    static func ownReplica(_ path: RelativePath) -> Failure {
        Failure(
            .nestedReplica, path: path.bytes,
            "This folder is a replica of the same store; what is in it is not synced from here.",
            remedy: "Move it out of this replica.")
    }

    /// Another replica is below the root.
    static func innerReplica(_ path: RelativePath) -> Failure {
        Failure(
            .nestedReplica, path: path.bytes,
            "This folder is another replica; both sync its files.",
            remedy: "If that is not intended, list it in .filesinkiignore.")
    }
}
