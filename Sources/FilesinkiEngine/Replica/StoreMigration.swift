import FilesinkiEncryption
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiText

/// Copies the store, with its history, to another remote, and makes that the remote of the replica. It may be of another
/// kind, and a store that was not encrypted may become so. What an encrypted store has is copied in plain text only where
/// that was asked for, and only into the store that it was before it was encrypted.
///
/// The copy has the same id and the same commits, so that every device goes on where it was once it is given the new
/// address. The description is written when the objects are copied: until then the copy is no store, and a migration that is
/// killed is repeated and copies what is missing. Nothing is changed at the old remote; a note is added, by which other devices
/// learn of the move. It is added before there is a second store: of two devices that move the store at the same time, one is
/// stopped by the other's note, and what others publish before they see it is copied, too.
///
/// Costs two requests for each object, and memory for the names of all objects.
struct StoreMigration: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// The number of objects that are copied at once.
    private static let parallelCopies = 4
    /// The number of objects between two reports of progress.
    private static let objectsPerReport = 1000

    /// - Parameters:
    ///   - keys: The secret of a copy that is to be encrypted. An encrypted store keeps its keys.
    ///   - connect: Opens the new remote.
    /// - Throws: Code `usage` if files of other programs are in the new folder, `exists` if another store is at the address,
    ///   `not-allowed` if the one there is not encrypted, and this one is, or if no secret opens it, `unfit-store` if the
    ///   remote lacks a guarantee, `corrupt` for a damaged object; what the remotes throw.
    func migrate(
        to address: String, _ keys: KeyOptions,
        connect: @escaping @Sendable (String) throws -> any Remote,
        _ progress: (@Sendable (Progress) -> Void)?
    ) async throws -> MigrationReport {
        try RootPlacement(root: options.root).check(against: address)
        if address != config.remote { try RootPlacement.checkIsInNoStore(address) }
        let source = try await connected().remote
        guard let format = try await StoreFormat.read(from: source) else {
            throw Failure.noStore(at: source.address)
        }
        var there = options
        there.connect = connect
        if address != config.remote, let move = try await sync.moveNote(), move.address != address {
            throw Failure.movedAlready(move, from: source.address)
        }
        let plain = try connect(address)
        let copy = Copying(
            format: format, source: source, plain: plain, address: address,
            stores: StoreOpening(there, keys, device: config.device, progress: progress),
            mayDecrypt: keys.mayDecrypt, progress: progress)
        var report = MigrationReport(from: source.address)
        if let found = try await StoreFormat.read(from: plain) {
            try await complete(copy, to: found, &report)
        } else {
            guard !keys.mayDecrypt || format.keyFingerprint == nil else {
                throw Failure.noPlainCopy(address)
            }
            try await StoreOpening.requireFreePlace(plain, address)
            if await StorePlace.holdsOtherFiles(plain, address) {
                throw Failure.amongOtherFiles(address)
            }
            try await make(copy, isEncrypting: keys.isEncrypting, &report)
        }
        return report
    }

    /// What is copied, and where.
    private struct Copying {
        let format: StoreFormat
        let source: any Remote
        /// The new remote, without encryption.
        let plain: any Remote
        let address: String
        let stores: StoreOpening
        let mayDecrypt: Bool
        let progress: (@Sendable (Progress) -> Void)?
    }

    /// Goes on from a migration that was completed, here or on another device.
    private func complete(
        _ copy: Copying, to found: StoreFormat, _ report: inout MigrationReport
    ) async throws {
        guard found.id == copy.format.id, found.epoch == copy.format.epoch else {
            throw Failure(
                .exists, path: copy.plain.address, "Another store is there.",
                remedy: "Give an empty place.")
        }
        report.isDecrypted = try Self.decrypts(copy, to: found)
        let key = try await copy.stores.findKey(of: found, copy.plain)
        let target = SealedRemote.seal(copy.plain, with: key, systemContext)
        let onward = try await sync.move(noted: target, of: found, at: copy.address)
        let isSame = copy.source.address == copy.plain.address
        if !isSame, let onward, try await sync.moveNote() != nil {
            // The source was moved there: what it has is older than both.
            guard onward.address == copy.source.address else {
                throw Failure.movedOn(onward, from: copy.address)
            }
        }
        try await copyNew(
            from: copy.source, to: target, inUseAt: copy.address, &report, copy.progress)
        // A store that was copied to its own place has not moved.
        if !isSame {
            let opening = try await opening(of: found, at: copy.plain)
            let keepsKeys = copy.format.keyFingerprint != nil
            if keepsKeys { report.optionForKeptKeys = opening?.option }
            try await leaveNote(at: copy.source, copy.address, keepsKeys ? nil : opening, &report)
            try await copyNew(
                from: copy.source, to: target, inUseAt: copy.address, &report, copy.progress)
        }
        // It may have been moved away from there before.
        try await StoreMove.remove(at: target)
        if isSame { report.endedMove = onward?.address }
        try sync.useStore(found, key, at: copy.address)
    }

    /// Whether what an encrypted store has is copied into one that is not.
    ///
    /// - Throws: Code `not-allowed` unless that, and nothing else, was asked for.
    private static func decrypts(_ copy: Copying, to found: StoreFormat) throws(Failure) -> Bool {
        guard found.keyFingerprint == nil else {
            guard !copy.mayDecrypt else { throw .placeEncrypted(copy.address) }
            return false
        }
        guard copy.format.keyFingerprint != nil else { return false }
        guard copy.mayDecrypt else { throw .placeNotEncrypted(copy.address) }
        return true
    }

    /// What opens a store that is encrypted: a passphrase, where there are both; nil for another one.
    private func opening(
        of format: StoreFormat, at plain: any Remote
    ) async throws -> StoreMove.Secret? {
        guard let fingerprint = format.keyFingerprint else { return nil }
        let keys = try await KeyObjects(plain, fingerprint: fingerprint).all()
        let isForFiles = !keys.isEmpty && keys.allSatisfy { $0.kind == .keyFile }
        return isForFiles ? .keyFile : .passphrase
    }

    /// Makes the new store, and uses it.
    private func make(
        _ copy: Copying, isEncrypting: Bool, _ report: inout MigrationReport
    ) async throws {
        let (format, plain, stores) = (copy.format, copy.plain, copy.stores)
        let isNewlyEncrypted = isEncrypting && format.keyFingerprint == nil
        let secret = isNewlyEncrypted ? try stores.newSecret(plain.address) : nil
        try await stores.checkFitness(of: plain, copy.address)
        let key = try await key(of: format, copy.source, plain, stores, secret)
        let target = SealedRemote.seal(plain, with: key, systemContext)
        try await copyNew(from: copy.source, to: target, &report, copy.progress)
        let opening = secret.map { $0.kind == .keyFile ? StoreMove.Secret.keyFile : .passphrase }
        try await leaveNote(at: copy.source, copy.address, opening, &report)
        var made = format
        if format.keyFingerprint == nil, let key { made.encrypt(with: key.fingerprint) }
        let present = try await made.create(at: plain)
        guard present == made else {
            try await StoreMove.remove(at: copy.source)
            throw Failure(
                .exists, path: plain.address, "Another store was created there meanwhile.",
                remedy: "Give an empty place.")
        }
        // What other devices have published before they saw the note.
        try await copyNew(
            from: copy.source, to: target, inUseAt: copy.address, &report, copy.progress)
        // For a sentence of the report only.
        if format.keyFingerprint != nil {
            report.optionForKeptKeys = (try? await self.opening(of: format, at: plain))?.option
        }
        try sync.useStore(made, key, at: copy.address)
    }

    /// Tells the devices that still use the old remote. A remote that takes no note is left without one.
    ///
    /// - Parameter secret: What opens the copy for them; nil for what opens the old store.
    /// - Throws: Code `exists` if another device has moved the store elsewhere meanwhile.
    private func leaveNote(
        at source: any Remote, _ address: String, _ secret: StoreMove.Secret?,
        _ report: inout MigrationReport
    ) async throws {
        let note = StoreMove(
            store: config.store, address: address, device: config.device.name, secret: secret)
        var present = note
        do { present = try await note.leave(at: source) } catch let failure as Failure
            where failure.code != .interrupted
        {
            report.notices.append(
                Failure(
                    failure.code, path: failure.path,
                    "Cannot leave a note at the old store: \(failure.message)",
                    remedy: "Tell the users of other devices.", cause: failure))
        }
        guard present.address == address else {
            throw Failure.movedMeanwhile(present, from: source.address, copiedTo: address)
        }
    }

    /// The key of the copy: that of the store, whose key objects are copied, or a new one.
    private func key(
        of format: StoreFormat, _ source: any Remote, _ target: any Remote,
        _ stores: StoreOpening, _ secret: KeySecret?
    ) async throws -> StoreKey? {
        guard format.keyFingerprint != nil else {
            guard let secret else { return nil }
            return try await stores.makeKey(target, secret).key
        }
        try await source.listPages(prefix: "keys/") { page in
            for object in page {
                guard let bytes = try await source.get(object.key, range: nil) else { continue }
                try await target.put(bytes, to: object.key)
            }
        }
        return try StoreKey.read(state.storeKey)
    }

    /// Copies what the target lacks, until the source has nothing new.
    ///
    /// - Parameter address: The address of the target if devices may use it already; see
    ///   ``FilesinkiStore/StoreCopyOrder``. Nil for one that is no store yet.
    /// - Throws: Code `exists` if both were used since the target was copied; nothing is copied then.
    private func copyNew(
        from source: any Remote, to target: any Remote, inUseAt address: String? = nil,
        _ report: inout MigrationReport, _ progress: (@Sendable (Progress) -> Void)?
    ) async throws {
        var present = Set(try await Self.objects(of: target))
        while true {
            let found = try await Self.objects(of: source)
            if let address {
                let order = StoreCopyOrder(copying: found, to: present)
                if let key = try await order.firstDifference(source, target) {
                    throw Failure.bothUsed(at: address, key)
                }
                try await copy(order.contents, from: source, to: target, &report, progress)
                try await copy(
                    order.commits, from: source, to: target, limit: 1, &report, progress)
                try await copy(order.rest, from: source, to: target, &report, progress)
            } else {
                let missing = found.filter { !present.contains($0) }
                try await copy(missing, from: source, to: target, &report, progress)
            }
            let count = present.count
            present.formUnion(found)
            guard present.count > count else { return }
        }
    }

    private func copy(
        _ keys: [ObjectKey], from source: any Remote, to target: any Remote,
        limit: Int = parallelCopies, _ report: inout MigrationReport,
        _ progress: (@Sendable (Progress) -> Void)?
    ) async throws {
        for start in stride(from: 0, to: keys.count, by: Self.objectsPerReport) {
            let part = Array(keys[start..<min(start + Self.objectsPerReport, keys.count)])
            let sizes = try await mapConcurrently(part, limit: limit) { key in
                try await Self.copy(key, from: source, to: target)
            }
            report.objects += sizes.count { $0 > 0 }
            report.bytes += sizes.reduce(0, +)
            progress?(Progress(.publishing, files: report.objects, bytes: report.bytes))
        }
    }

    /// Whether the commits that a copy lacks can be copied behind its own: nobody has used it since.
    static func canComplete(_ target: any Remote, from source: any Remote) async throws -> Bool {
        let order = StoreCopyOrder(
            copying: try await objects(of: source), to: Set(try await objects(of: target)))
        return try await order.firstDifference(source, target) == nil
    }

    /// The objects of a store that are copied: all but its description, its keys and what is not part of the format.
    private static func objects(of remote: any Remote) async throws -> [ObjectKey] {
        var found: [ObjectKey] = []
        for prefix in ["packs/", "zones/", "devices/"] {
            try await remote.listPages(prefix: prefix) { found += $0.map(\.key) }
        }
        return found
    }

    /// - Returns: The object's size; 0 if it was removed meanwhile, as acknowledgements are.
    private static func copy(
        _ key: ObjectKey, from source: any Remote, to target: any Remote
    ) async throws -> Int64 {
        guard let bytes = try await source.get(key, range: nil) else { return 0 }
        // An object that was changed at an encrypted remote reads as zeros.
        guard bytes.contains(where: { $0 != 0 }) else {
            throw Failure(
                .corrupt, path: key.description, "The object is damaged and was not copied.",
                remedy: "Run filesinki repair, then migrate again.")
        }
        guard key.isSlot else {
            try await target.put(bytes, to: key)
            return Int64(bytes.count)
        }
        guard case .theirs = try await target.publish(bytes, to: key) else {
            return Int64(bytes.count)
        }
        throw Failure(
            .exists, path: key.description, "Another object is in this slot of the new remote.",
            remedy: "Give an empty place.")
    }
}

extension StoreCopyOrder {
    /// The commit by which two logs differ that both went on; nil if one of each is the beginning of the other.
    fileprivate func firstDifference(
        _ source: any Remote, _ target: any Remote
    ) async throws -> ObjectKey? {
        for key in lastShared {
            let ours = try await source.get(key, range: nil)
            let theirs = try await target.get(key, range: nil)
            if ours != theirs { return key }
        }
        return nil
    }
}

extension Failure {
    /// Another device has moved the store, too, and was first.
    fileprivate static func movedMeanwhile(
        _ note: StoreMove, from source: String, copiedTo address: String
    ) -> Failure {
        var failure = movedAlready(
            MovedStore(address: note.address, device: note.device, secret: note.secret),
            from: source)
        failure.message += " The move to \(ShellWord.shown(address.utf8)) was given up."
        failure.remedy += " What was copied to \(ShellWord.shown(address.utf8)) can be removed."
        return failure
    }

    /// A store and its copy have got commits of their own.
    fileprivate static func bothUsed(at address: String, _ key: ObjectKey) -> Failure {
        Failure(
            .exists, path: key.description,
            "Both stores were used since one was copied to the other, and cannot be joined: nothing was copied.",
            remedy: "To go on with the other one, run filesinki remote set "
                + "\(ShellWord.shown(address.utf8)) --accept: both sides are then merged as at a first "
                + "sync, and nothing is lost.")
    }

    /// The store is encrypted, and the one that it would be copied into is not.
    fileprivate static func placeNotEncrypted(_ address: String) -> Failure {
        Failure(
            .notAllowed, path: address,
            "The store there is not encrypted: what this replica's store has would be readable there. "
                + "Nothing was copied.",
            remedy:
                "To keep it encrypted, give an empty place: filesinki remote set NEW --migrate. "
                + "To copy it in plain text, run filesinki remote set \(ShellWord.shown(address.utf8)) "
                + "--migrate --no-encrypt.")
    }

    /// A copy in plain text was asked for where a store is encrypted.
    fileprivate static func placeEncrypted(_ address: String) -> Failure {
        Failure(
            .notAllowed, path: address, "The store there is encrypted. Nothing was copied.",
            remedy: "To copy into it, leave --no-encrypt out.")
    }

    /// A copy in plain text was asked for where no store is.
    fileprivate static func noPlainCopy(_ address: String) -> Failure {
        Failure(
            .notAllowed, path: address,
            "No store is there, and the new copy of an encrypted store is encrypted, too. Nothing was copied.",
            remedy:
                "Leave --no-encrypt out. It is for the place of this store from before it was encrypted."
        )
    }

    /// The folder that a store is to be copied to has files of other programs. A store that was moved by mistake is not
    /// easily moved back: other devices follow it.
    fileprivate static func amongOtherFiles(_ address: String) -> Failure {
        Failure(
            .usage, path: address, "There are other files in this folder: nothing was copied.",
            remedy: "Give an empty folder, or a new one, which may be in it.")
    }
}
