import FilesinkiCompression
import FilesinkiEncryption
import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiManifest
package import FilesinkiModel
package import FilesinkiRemote
import FilesinkiStore

/// Stores anew what is damaged in a store, as far as this replica or the store itself has it.
///
/// Nothing that can be read is overwritten or removed before its copy is named by a commit:
///
/// 1. Every object is read, as `check --read-data` does.
/// 2. The sound contents of damaged packs, and the damaged contents that files of the root have, are
///    stored in new packs.
/// 3. A commit without changes names these packs, so that every device finds them.
/// 4. The damaged objects that nothing needs any more are removed.
///
/// What cannot be healed stays as it is, unless it is to be forgotten: see ``ForgottenDamage``.
///
/// A repair that is killed is repeated. The packs that it has stored are recorded, and named by the next commit
/// of this replica.
struct StoreRepair: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Repairs the store. A damaged commit cannot be repaired: then nothing is done, and the report says so.
    ///
    /// Reads the whole store, and the whole base of the replica.
    ///
    /// - Parameter forgets: Whether what cannot be repaired is given up.
    /// - Throws: What the remote throws. What could not be repaired is in the report.
    func repair(
        forgetting forgets: Bool, _ progress: (@Sendable (Progress) -> Void)?
    ) async throws -> RepairReport {
        let connection = try await connected()
        if forgets { try await connection.requireDeletion(systemContext) }
        var report = RepairReport()
        var log: LogCheck
        (log, report.remaining) = try await StoreVerification(replica)
            .readLogBeyondDamage(connection)
        guard report.remaining.isEmpty else { return report }
        var check = StoreCheck(connection, progress)
        try await check.readEverything(files: log)
        let keys = try await StoreKeys(replica).check()
        report.objects = check.report.objects
        report.found = check.report.failures + keys.failures
        for key in check.retiredObjects { try await connection.remote.delete(key) }
        report.removed = check.retiredObjects
        guard !report.found.isEmpty else { return report }
        let packs = try await storeAnewAndPublish(check, &log, connection)
        report.packs = packs.count
        report.bytes = packs.reduce(0) { $0 + $1.size }
        let stored = packs.map { PackReader(remote: connection.remote, reference: $0) }
        var rest = try await check.findUnreadable(with: stored)
        report.healed = check.unreadable.contents.subtracting(rest.contents).count
        if forgets, !rest.failures.isEmpty {
            report.lost = try await ForgottenDamage(replica).giveUp(rest, stored, &check, &log)
            rest = try await check.findUnreadable(with: stored, onlyAssets: true)
        }
        report.removed += try await removeDamaged(check, keys, rest, connection.remote)
        report.remaining = rest.failures + log.failures
        let removed = Set(report.removed.map { Array($0.description.utf8) })
        let objects = check.objectFailures + keys.failures
        report.remaining += objects.filter { !removed.contains($0.path) }
        return report
    }

    // MARK: Storing anew

    /// Stores anew what is damaged of the files and of the other zones, and names it in their logs.
    ///
    /// - Returns: The new packs.
    private func storeAnewAndPublish(
        _ check: StoreCheck, _ log: inout LogCheck, _ connection: ZoneConnection
    ) async throws -> [PackReference] {
        let packs = try await storeAnew(check, connection)
        if !packs.isEmpty,
            let commit = try await publishRepair(of: packs, through: zone, after: &log)
        {
            sync.forgetPublishedPacks([commit])
        }
        return packs + (try await ZoneRepair(replica).storeAnew(check, connection))
    }

    private func storeAnew(
        _ check: StoreCheck, _ connection: ZoneConnection
    ) async throws -> [PackReference] {
        let cache = IndexFolder(path: state.indexes)
        let writer = try await sync.packWriter()
        let damaged = Set(check.damagedPacks.map(\.id))
        let sound = ContentLocator(
            packs: check.readable.filter {
                $0.reference.zone == nil && !damaged.contains($0.reference.id)
            })
        var rescued = Rescued()
        do {
            for pack in check.damagedPacks where pack.zone == nil {
                let reader = PackReader(
                    remote: connection.remote, reference: pack, cache: cache)
                try await rescue(reader, beyond: sound, &rescued, writer)
            }
            if let block = try await rescued.recipeBlock(with: sound) {
                try await writer.add(block)
            }
        } catch {
            await writer.abandon()
            throw error
        }
        let wanted = try await check.unreadable.contents.subtracting(rescued.whole(with: sound))
        // A file of another size has been edited.
        let items = try manifest.loadBase().filter { row in
            row.entry.kind == .file && wanted.contains(row.entry.content)
                && (try? root.status(row.path))?.stamp.size == row.entry.size
        }
        guard !items.isEmpty else { return try await writer.finish() }
        let uploader = ContentUploader.storing(wanted, from: root, in: writer) {
            [chunks = rescued.chunks] chunk in
            if chunks.contains(chunk) { return true }
            return try await sound.find(chunk)?.member.kind == .chunk
        }
        return try await uploader.upload(
            items.map { ContentUploader.Item(path: $0.path, size: $0.entry.size) }
        ).packs
    }

    /// Copies the chunks that can be read of a damaged pack and that no other pack holds, and collects its recipes. The
    /// index may be the copy of this device.
    func rescue(
        _ pack: PackReader, beyond sound: ContentLocator, _ rescued: inout Rescued,
        _ writer: PackWriter
    ) async throws {
        let index: PackIndex
        do { index = try await pack.index() } catch let failure as Failure
            where failure.code != .away
        {
            return
        }
        for (number, all) in index.membersByBlock.sorted(by: { $0.key < $1.key }) {
            let block: [UInt8]
            do { block = try await pack.readBlock(number) } catch let failure as Failure
                where failure.code != .away
            {
                continue
            }
            var builder = BlockBuilder(
                compressor: ZstdCompressor(level: ContentUploader.level))
            for (id, place) in all.sorted(by: { $0.place.offset < $1.place.offset }) {
                guard try await sound.find(id) == nil else { continue }
                let bytes = block[place.range]
                guard rescued.add(id, place.kind, bytes), place.kind == .chunk else { continue }
                bytes.withUnsafeBytes { builder.add(id, kind: place.kind, bytes: $0) }
            }
            if let block = try builder.finish() { try await writer.add(block) }
        }
    }

    // MARK: Removing

    /// Removes the damaged objects that nothing needs: packs whose contents have copies, what devices
    /// write anew, and keys of a store that has a sound one.
    ///
    /// A pack with a content that is nowhere else stays, for another device may know what can be read of it.
    private func removeDamaged(
        _ check: StoreCheck, _ storeKeys: KeyObjects.Check, _ rest: StoreCheck.Unreadable,
        _ remote: any Remote
    ) async throws -> [ObjectKey] {
        var keys = check.damagedNotes
        for failure in storeKeys.failures where storeKeys.isOpenable && failure.code == .corrupt {
            keys.append(try ObjectKey(String(decoding: failure.path, as: UTF8.self)))
        }
        for pack in check.damagedPacks where rest.failures.isEmpty {
            keys.append(try ObjectKey(pack.keyText))
        }
        for key in keys { try await remote.delete(key) }
        if !check.damagedNotes.isEmpty { try memory.set([.checkpoint: 0]) }
        return keys
    }
}

/// What was copied out of damaged packs.
struct Rescued {
    private(set) var chunks: Set<ContentID> = []
    private var recipes: [ContentID: (recipe: Recipe, bytes: [UInt8])] = [:]

    /// Adds a sound member of a block.
    ///
    /// - Returns: False if it is damaged, or was added before.
    mutating func add(_ id: ContentID, _ kind: MemberKind, _ bytes: ArraySlice<UInt8>) -> Bool {
        switch kind {
        case .chunk:
            return ContentHasher.hash(Array(bytes)) == id && chunks.insert(id).inserted
        case .recipe:
            guard recipes[id] == nil, let recipe = try? Recipe(decoding: bytes) else {
                return false
            }
            recipes[id] = (recipe, Array(bytes))
            return true
        }
    }

    /// The chunks, and the contents all of whose chunks are there or in sound packs.
    func whole(with sound: ContentLocator) async throws -> Set<ContentID> {
        var whole = chunks
        for (id, known) in recipes {
            guard try await sound.holdsChunks(of: known.recipe, besides: chunks) else { continue }
            whole.insert(id)
        }
        return whole
    }

    /// The recipes of the contents that are whole; nil if there are none. The recipe of a content without all of its
    /// chunks must not be found: the content would count as stored.
    func recipeBlock(with sound: ContentLocator) async throws -> EncodedBlock? {
        let whole = try await whole(with: sound)
        var builder = BlockBuilder(compressor: ZstdCompressor(level: ContentUploader.level))
        for (id, known) in recipes.sorted(by: { $0.key < $1.key }) where whole.contains(id) {
            known.bytes.withUnsafeBytes { builder.add(id, kind: .recipe, bytes: $0) }
        }
        return try builder.finish()
    }
}

/// The result of a repair.
package struct RepairReport: Sendable {
    /// The number of objects that were read.
    package var objects = 0
    /// What was wrong.
    package var found: [Failure] = []
    /// The number of contents and parts of contents that can be read again.
    package var healed = 0
    /// The number of packs that were stored, and of their bytes.
    package var packs = 0
    package var bytes: Int64 = 0
    /// The versions that became unreadable.
    package var lost: [LostVersion] = []
    /// The damaged objects that were removed.
    package var removed: [ObjectKey] = []
    /// What is still wrong.
    package var remaining: [Failure] = []
}
