import FilesinkiHashing
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import Synchronization

/// Reads and verifies every object of a store: the commits of all zones, the packs with all their
/// blocks, the checkpoints and the acknowledgements. Memory grows with the number of entries in the
/// history, not with the size of the contents.
///
/// A content is damaged if no pack and no commit holds a sound copy of it. A pack that is gone is
/// damage only if a content is missing: what a repair has stored anew is in other packs.
///
/// With a range of packs, the packs beyond it are not read: their sizes are compared with the commits that name
/// them, and their indexes, which may be the copies of this device, list what they hold.
struct StoreCheck {
    private let connection: ZoneConnection
    /// The packs to read; nil for all.
    private let packs: PackIDRange?
    private let indexes: (any IndexCache)?
    private let progress: (@Sendable (Progress) -> Void)?
    private(set) var report = CheckReport()
    /// The failures of ``report`` that are about objects, not about contents without a sound copy.
    private(set) var objectFailures: [Failure] = []
    /// The contents without a sound copy.
    private(set) var unreadable = Unreadable()
    private var logs: [LogCheck] = []
    /// The number of the log of files, whose commits name packs.
    private var filesLog = 0
    /// The contents that each of the logs needs: those of all versions that were neither pruned nor given up.
    private(set) var needed: [[ContentID: VersionHistory.Use]] = []
    /// Chunked contents in packs, and the pack of each.
    private var recipes: [(pack: PackReference, id: ContentID, recipe: Recipe)] = []
    /// The packs that commits name and whose index is sound.
    private(set) var readable: [PackReader] = []
    /// The packs that are at the remote and have any damage.
    private(set) var damagedPacks: [PackReference] = []
    /// The packs that commits name and that are gone.
    private(set) var missingPacks: [PackReference] = []
    /// Objects of retired packs, which a stopped prune or repair has left.
    private(set) var retiredObjects: [ObjectKey] = []
    /// The damaged copies of contents and chunks.
    private(set) var damagedCopies: [DamagedCopy] = []
    /// The damaged objects that devices write anew: checkpoints, their parts, acknowledgements.
    private(set) var damagedNotes: [ObjectKey] = []

    /// - Parameters:
    ///   - packs: The packs to read; nil for all.
    ///   - indexes: Holds the indexes of packs that are not read.
    init(
        _ connection: ZoneConnection, _ progress: (@Sendable (Progress) -> Void)?,
        packs: PackIDRange? = nil, indexes: (any IndexCache)? = nil
    ) {
        self.connection = connection
        self.packs = packs
        self.indexes = indexes
        self.progress = progress
    }

    /// Reads all objects and fills ``report``.
    ///
    /// - Parameter files: The log of the files zone, up to its end or the first damage.
    /// - Throws: What the remote throws; damage becomes a failure in the report.
    mutating func readEverything(files: LogCheck) async throws {
        let listing = try await StoreListing.read(from: connection.remote)
        report.foreignObjects = listing.others.count
        report.objects = listing.count - listing.others.count
        for (name, zone) in listing.zones.sorted(by: { $0.key < $1.key }) {
            logs.append(
                try await readZone(name, zone, known: name == Zone.filesName ? files : nil))
        }
        if listing.zones[Zone.filesName] == nil { logs.append(files) }
        filesLog = logs.firstIndex { $0.packZone == nil } ?? 0
        try await readParts(listing)
        var named: [[UInt8]: PackReference] = [:]
        for log in logs { for (pack, _) in log.view.packs { named[pack.id] = pack } }
        try await readPacks(listing, named: named)
        findNeeded()
        report.contents = needed.reduce(0) { $0 + $1.count }
        report.prunedVersions = logs.reduce(0) { $0 + $1.history.droppedCount }
        unreadable = try await findUnreadable()
        report.lost = try await logs[filesLog].lostVersions(
            in: readable.filter { $0.reference.zone == nil })
        var packs: Set<[UInt8]> = []
        for copy in damagedCopies where !unreadable.contents.contains(copy.content) {
            // The content has another copy; the object is damaged all the same.
            if packs.insert(copy.pack.id).inserted { report.failures.append(copy.failure) }
        }
        objectFailures = report.failures
        report.failures += unreadable.failures
    }

    /// Takes in what was published since the packs were read. The packs of these commits count as sound.
    mutating func readOn(_ files: LogCheck) {
        let known = Set(logs[filesLog].view.packs.map(\.pack.id))
        logs[filesLog] = files
        readable.removeAll { files.view.retired.contains($0.reference.id) }
        for (pack, _) in files.view.packs where !known.contains(pack.id) {
            readable.append(PackReader(remote: connection.remote, reference: pack, cache: indexes))
        }
        findNeeded()
    }

    private mutating func findNeeded() {
        let catalogues = ZoneCatalogues(logs)
        needed = logs.map { catalogues.isDeleted($0.zone) ? [:] : $0.neededContents }
    }

    /// What the files that the log names need.
    var neededByFiles: [ContentID: VersionHistory.Use] { needed[filesLog] }

    /// Searches for contents without a sound copy.
    ///
    /// - Parameters:
    ///   - stored: Packs that were stored since; they are read.
    ///   - onlyAssets: Whether those of files are left out.
    func findUnreadable(
        with stored: [PackReader] = [], onlyAssets: Bool = false
    ) async throws -> Unreadable {
        var all = Unreadable()
        // A device looks for a content in the packs of its zone only.
        let zones = Set(logs.map(\.packZone)).filter { !onlyAssets || $0 != nil }
        for zone in zones.sorted(by: { $0 ?? "" < $1 ?? "" }) {
            let found = try await findUnreadable(
                in: zone, with: stored.filter { $0.reference.zone == zone })
            all.failures += found.failures
            all.contents.formUnion(found.contents)
        }
        if !all.failures.isEmpty { all.failures += missingPacks.map { Failure.missingPack($0) } }
        return all
    }

    private func findUnreadable(
        in zone: String?, with stored: [PackReader]
    ) async throws -> Unreadable {
        let locator = ContentLocator(
            packs: readable.filter { $0.reference.zone == zone } + stored)
        let damagedCopies = damagedCopies.filter { $0.pack.zone == zone }
        for copy in damagedCopies { locator.exclude(copy.content, in: copy.pack.id) }
        var damaged: [ContentID: Failure] = [:]
        for copy in damagedCopies where damaged[copy.content] == nil {
            if try await locator.find(copy.content) == nil {
                damaged[copy.content] = copy.failure
            }
        }
        let recipes = recipes.filter { $0.pack.zone == zone }
        var chunks = try await add(recipes, to: &damaged, locator)
        for pack in stored {
            let recipes = try await pack.verify().recipes
            chunks.formUnion(
                try await add(
                    recipes.map { (pack.reference, $0.id, $0.recipe) }, to: &damaged, locator))
        }
        var found = Unreadable(contents: Set(damaged.keys))
        // The failure of the whole content names the path.
        for chunk in chunks { damaged[chunk] = nil }
        var paths: [ContentID: RelativePath] = [:]
        for (log, contents) in zip(logs, needed) where log.packZone == zone {
            try await checkVersions(contents, of: log, locator, damaged, &paths, &found)
        }
        for (content, var failure) in damaged.sorted(by: { $0.key.description < $1.key.description }
        ) {
            if let path = paths[content] { failure.message = "\(path): \(failure.message)" }
            found.failures.append(failure)
        }
        return found
    }

    // MARK: Zones

    private mutating func readZone(
        _ name: String, _ zone: StoreListing.Zone, known: LogCheck?
    ) async throws -> LogCheck {
        let isKnown = known != nil
        var log: LogCheck
        if let known {
            log = known
        } else {
            log = try LogCheck(of: name, connection)
            try await log.read()
        }
        let reported = log.failures.count
        try await log.read(beyondDamage: zone)
        report.bytes += log.inlineBytes
        report.failures += isKnown ? Array(log.failures.dropFirst(reported)) : log.failures
        try await readArchives(zone, log)
        try await readCheckpoints(name, zone, log)
        try await readAcknowledgements(name, zone, log)
        return log
    }

    private mutating func readArchives(_ zone: StoreListing.Zone, _ log: LogCheck) async throws {
        for key in zone.archives {
            do {
                try await log.log.verify(archive: key, log.hashes)
            } catch let failure as Failure where failure.code != .away {
                let isKnown = report.failures.contains { $0.path == failure.path }
                if !isKnown { report.failures.append(failure) }
            }
        }
    }

    private mutating func readCheckpoints(
        _ name: String, _ zone: StoreListing.Zone, _ log: LogCheck
    ) async throws {
        let store = try CheckpointStore(
            remote: connection.remote, zone: name, store: connection.format)
        for sequence in zone.checkpoints {
            do {
                guard var reader = try await store.reader(of: sequence) else { continue }
                while let rows = try await reader.next() {
                    report.failures += rows.refused.map(\.failure)
                }
                compare(reader.token, log, "The checkpoint of \(name) at \(sequence)")
            } catch let failure as Failure where failure.code != .away {
                // A prune has removed it meanwhile.
                guard try await store.contains(sequence) else { continue }
                damagedNotes.append(try store.key(of: sequence))
                report.failures.append(failure)
            }
        }
    }

    /// Parts of checkpoints, also those that no checkpoint names.
    private mutating func readParts(_ listing: StoreListing) async throws {
        for (key, hash) in listing.parts {
            guard let stored = try await connection.remote.get(key, range: nil),
                ContentHasher.hash(stored) != hash
            else { continue }
            damagedNotes.append(key)
            report.failures.append(
                Failure(
                    .corrupt, path: key.description, "A part of a checkpoint has another hash.",
                    remedy: "Restore the object from a copy of the store."))
        }
    }

    private mutating func readAcknowledgements(
        _ name: String, _ zone: StoreListing.Zone, _ log: LogCheck
    ) async throws {
        guard !zone.acknowledged.isEmpty else { return }
        let store = try DeviceRegistry(
            remote: connection.remote, zone: name, store: connection.format)
        let damaged = Mutex<[Failure]>([])
        let all = try await store.all { failure in damaged.withLock { $0.append(failure) } }
        let unreadable = damaged.withLock { $0 }
        damagedNotes += unreadable.compactMap {
            try? ObjectKey(String(decoding: $0.path, as: UTF8.self))
        }
        report.failures += unreadable
        for found in all {
            let device = printable(found.device.name.utf8)
            compare(found.token, log, "The acknowledgement of \(device)")
        }
    }

    /// Compares a commit that an object names with the log, unless it has been pruned.
    private mutating func compare(_ token: ChangeToken, _ log: LogCheck, _ what: String) {
        guard log.failures.isEmpty, token.sequence > 0 else { return }
        if token.sequence > log.view.token.sequence {
            report.failures.append(
                Failure(
                    .corrupt, path: log.log.watchedPrefix,
                    "\(what) names commit \(token.sequence), but the log ends at "
                        + "\(log.view.token.sequence).",
                    remedy: "Restore the commits that are missing from a copy of the store."))
        } else if let hash = log.hashes[token.sequence], hash != token.hash {
            report.failures.append(
                Failure(
                    .corrupt, path: log.log.watchedPrefix,
                    "\(what) names another commit \(token.sequence) than the log has.",
                    remedy: "The commit is damaged, or the store was restored from a backup."))
        }
    }

    // MARK: Packs

    private mutating func readPacks(
        _ listing: StoreListing, named: [[UInt8]: PackReference]
    ) async throws {
        var references = named
        let retired = logs[filesLog].view.retired
        for (id, size) in listing.packs where named[id] == nil {
            // Nobody reads it, and the next prune removes it.
            if retired.contains(id) {
                retiredObjects.append(try ObjectKey(PackReference.keyText(of: id)))
                continue
            }
            // No commit names the pack: its upload is unfinished, or its commit is not published
            // yet.
            guard isRead(id) else {
                skipPack()
                continue
            }
            guard
                let found = try await PackReference.read(
                    id, zone: listing.packZones[id], size: size, from: connection.remote)
            else { continue }
            references[id] = found
        }
        for reference in references.values.sorted(by: { $0.keyText < $1.keyText }) {
            guard let size = listing.packs[reference.id] else {
                missingPacks.append(reference)
                continue
            }
            guard isRead(reference.id) else {
                skipPack(reference, size: size)
                continue
            }
            report.packs += 1
            report.readPacks += 1
            try await readPack(reference, size: size, isNamed: named[reference.id] != nil)
            progress?(Progress(.fetching, files: report.readPacks, bytes: report.bytes))
        }
    }

    private func isRead(_ pack: [UInt8]) -> Bool { packs?.contains(pack) ?? true }

    /// Counts a pack that is not read; one that a commit names is searched for contents all the same.
    private mutating func skipPack(_ reference: PackReference? = nil, size: Int64 = 0) {
        report.packs += 1
        report.objects -= 1
        guard let reference else { return }
        if size != reference.size {
            report.failures.append(.otherSize(reference, size))
            damagedPacks.append(reference)
        } else {
            readable.append(
                PackReader(remote: connection.remote, reference: reference, cache: indexes))
        }
    }

    private mutating func readPack(
        _ reference: PackReference, size: Int64, isNamed: Bool
    ) async throws {
        let reader = PackReader(remote: connection.remote, reference: reference)
        let verified = try await reader.verify()
        var damage = verified.failures.filter(\.contents.isEmpty).map(\.failure)
        if size != reference.size { damage.append(.otherSize(reference, size)) }
        report.failures += damage
        report.bytes += verified.bytes
        for (failure, contents) in verified.failures {
            damagedCopies += contents.map {
                DamagedCopy(content: $0, pack: reference, failure: failure)
            }
        }
        // No device looks for contents in a pack that no commit names; an upload that goes on later may not
        // have stored all parts of them.
        if isNamed {
            recipes += verified.recipes.map { (reference, $0.id, $0.recipe) }
            if damage.isEmpty { readable.append(reader) }
        }
        if !damage.isEmpty || !verified.failures.isEmpty { damagedPacks.append(reference) }
    }

    /// Adds the needed chunked contents one of whose chunks has no sound copy of the right length. The bytes
    /// were verified with the packs.
    ///
    /// - Returns: The damaged chunks of these contents.
    private func add(
        _ recipes: [(pack: PackReference, id: ContentID, recipe: Recipe)],
        to damaged: inout [ContentID: Failure], _ locator: ContentLocator
    ) async throws -> Set<ContentID> {
        var chunks: Set<ContentID> = []
        // The chunks of a pruned version may be gone, and its recipe still be there.
        let isPruned = logs.contains { $0.view.pruned > 0 }
        for (pack, id, recipe) in recipes {
            if isPruned, !needed.contains(where: { $0[id] != nil }) { continue }
            for part in recipe.parts {
                let place = try await locator.find(part.id)
                if place?.member.kind == .chunk, place?.member.length == part.length { continue }
                damaged[id] = damaged[part.id] ?? .missingPart(pack, id)
                chunks.insert(part.id)
            }
        }
        return chunks
    }

    // MARK: Contents

    private func checkVersions(
        _ contents: [ContentID: VersionHistory.Use], of log: LogCheck, _ locator: ContentLocator,
        _ damaged: [ContentID: Failure],
        _ paths: inout [ContentID: RelativePath], _ found: inout Unreadable
    ) async throws {
        let inline = Set(log.view.inline.map(\.content))
        for (content, version) in contents where !inline.contains(content) {
            if damaged[content] != nil {
                paths[content] = version.path
            } else if try await locator.find(content) == nil, log.failures.isEmpty {
                found.failures.append(.missing(version.path))
                found.contents.insert(content)
            }
        }
    }
}
