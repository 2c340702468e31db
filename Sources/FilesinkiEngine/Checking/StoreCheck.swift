import FilesinkiHashing
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import Synchronization

/// Reads and verifies every object of a store: the commits of all zones, the packs with all their
/// blocks, the checkpoints and the acknowledgements. Memory grows with the number of entries in the
/// history, not with the size of the contents.
struct StoreCheck {
    private let connection: ZoneConnection
    private let progress: (@Sendable (Progress) -> Void)?
    private(set) var report = CheckReport()
    /// Chunked contents in packs, and the pack of each.
    private var recipes: [(pack: PackReference, id: ContentID, recipe: Recipe)] = []
    /// Contents that cannot be read, with the cause.
    private var damaged: [ContentID: Failure] = [:]

    init(_ connection: ZoneConnection, _ progress: (@Sendable (Progress) -> Void)?) {
        self.connection = connection
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
        var logs: [LogCheck] = []
        for (name, zone) in listing.zones.sorted(by: { $0.key < $1.key }) {
            logs.append(
                try await readZone(name, zone, known: name == Zone.filesName ? files : nil))
        }
        if listing.zones[Zone.filesName] == nil { logs.append(files) }
        try await readParts(listing)
        var packs: [[UInt8]: PackReference] = [:]
        for log in logs { for (pack, _) in log.view.packs { packs[pack.id] = pack } }
        let readers = try await readPacks(listing, named: packs)
        let locator = ContentLocator(packs: readers)
        try await checkRecipes(locator)
        for log in logs { try await checkVersions(of: log, locator) }
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
            log = LogCheck(
                try CommitLog(
                    remote: connection.remote, zone: name, store: connection.format))
            try await log.read()
        }
        let reported = log.failures.count
        try await log.read(beyondDamage: zone.commits.filter { $0 > log.view.token.sequence })
        report.bytes += log.inlineBytes
        report.failures += isKnown ? Array(log.failures.dropFirst(reported)) : log.failures
        try await readCheckpoints(name, zone, log)
        try await readAcknowledgements(name, zone, log)
        return log
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
                report.failures.append(failure)
            }
        }
    }

    /// Parts of checkpoints, also those that no checkpoint names.
    private mutating func readParts(_ listing: StoreListing) async throws {
        for (key, hash) in listing.parts {
            let stored = try await connection.remote.get(key, range: nil)
            if stored.map(ContentHasher.hash) == hash { continue }
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
        report.failures += damaged.withLock { $0 }
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
    ) async throws -> [PackReader] {
        var references = named
        for (id, size) in listing.packs where named[id] == nil {
            // No commit names the pack: its upload is unfinished, or its commit is not published
            // yet.
            guard
                let found = try await PackReference.read(id, size: size, from: connection.remote)
            else { continue }
            references[id] = found
        }
        report.packs = references.count
        var readers: [PackReader] = []
        for reference in references.values.sorted(by: { $0.keyText < $1.keyText }) {
            let reader = PackReader(remote: connection.remote, reference: reference)
            if let size = listing.packs[reference.id], size != reference.size {
                report.failures.append(.otherSize(reference, size))
            }
            let verified = try await reader.verify()
            report.bytes += verified.bytes
            for (failure, contents) in verified.failures {
                if contents.isEmpty { report.failures.append(failure) }
                for content in contents { damaged[content] = failure }
            }
            recipes += verified.recipes.map { (reference, $0.id, $0.recipe) }
            readers.append(reader)
            progress?(Progress(.fetching, files: readers.count, bytes: report.bytes))
        }
        return readers
    }

    /// Verifies that every chunk of a chunked content exists with its length. The bytes were
    /// verified with the packs.
    private mutating func checkRecipes(_ locator: ContentLocator) async throws {
        for (pack, id, recipe) in recipes {
            for part in recipe.parts {
                let place = try await locator.find(part.id)
                guard place?.member.kind == .chunk, place?.member.length == part.length else {
                    damaged[id] = .missingPart(pack, id)
                    break
                }
                if let failure = damaged[part.id] { damaged[id] = failure }
            }
        }
    }

    // MARK: Contents

    private mutating func checkVersions(of log: LogCheck, _ locator: ContentLocator) async throws {
        let inline = Set(log.view.inline.map(\.content))
        var damagedPaths: [ContentID: RelativePath] = [:]
        for (content, version) in log.versions {
            report.contents += 1
            if inline.contains(content) { continue }
            if damaged[content] != nil {
                damagedPaths[content] = version.path
            } else if try await locator.find(content) == nil, log.failures.isEmpty {
                report.failures.append(.missing(version.path))
            }
        }
        for (content, var failure) in damaged.sorted(by: { $0.key.description < $1.key.description }
        ) {
            if let path = damagedPaths[content] { failure.message = "\(path): \(failure.message)" }
            report.failures.append(failure)
        }
        damaged = [:]
    }
}

extension Failure {
    fileprivate static func otherSize(_ pack: PackReference, _ size: Int64) -> Failure {
        Failure(
            .corrupt, path: pack.keyText,
            "The pack has \(size) bytes; the commit that names it says \(pack.size).",
            remedy: "Restore the object from a copy of the store.")
    }

    fileprivate static func missingPart(_ pack: PackReference, _ id: ContentID) -> Failure {
        Failure(
            .corrupt, path: pack.keyText, "A part of the content \(id) is missing.",
            remedy: "A device that still has the file can store it again.")
    }
}

/// Reads the whole log of a zone and collects what is damaged.
struct LogCheck {
    /// A version of a path that has a content.
    struct Version: Sendable {
        let path: RelativePath
        let size: Int64
    }

    let log: CommitLog
    /// The tree after the last valid commit.
    private(set) var view: RemoteView
    private(set) var commits = 0
    /// Bytes of the contents stored inside commits.
    private(set) var inlineBytes: Int64 = 0
    private(set) var failures: [Failure] = []
    /// Every content that the history names, superseded ones included.
    private(set) var versions: [ContentID: Version] = [:]
    /// The hash of each commit, by its number.
    private(set) var hashes: [UInt64: ContentID] = [:]

    init(_ log: CommitLog) {
        self.log = log
        view = RemoteView(token: log.genesis)
    }

    /// Reads the log and verifies each commit against its parent, up to the end or the first
    /// damage.
    ///
    /// - Throws: Code `away`; other failures are added to ``failures``.
    mutating func read() async throws {
        do {
            var reader = LogReader(log, after: view.token)
            while let commit = try await reader.next() { add(commit) }
        } catch let failure as Failure where failure.code != .away {
            failures.append(failure)
        }
    }

    /// Reads commits after a damaged one, each on its own, because their parent cannot be verified.
    mutating func read(beyondDamage sequences: [UInt64]) async throws {
        var known: [Failure] = []
        var sound: [Commit] = []
        try await log.read(sequences) { _, result in
            switch result {
            case .success(let commit): if let commit { sound.append(commit) }
            case .failure(let failure): known.append(failure)
            }
        }
        for commit in sound { add(commit) }
        let reported = Set(failures.map(\.path))
        failures += known.filter { !reported.contains($0.path) }
    }

    private mutating func add(_ commit: Commit) {
        view.fold(commit)
        // The contents were verified when the commit was decoded.
        view.carried = CarriedContents()
        commits += 1
        hashes[commit.sequence] = commit.token.hash
        inlineBytes += commit.inline.reduce(0) { $0 + Int64($1.bytes.count) }
        failures += commit.refused.map(\.failure)
        for change in commit.changes + commit.superseded where change.entry.kind == .file {
            versions[change.entry.content] = Version(
                path: change.path, size: change.entry.size)
        }
    }

    /// Returns the failure for a readable commit that is not the one that was seen before.
    ///
    /// - Parameter known: The stored header of the commit that was seen; empty if it is not known.
    func changed(_ sequence: UInt64, known: [UInt8]) -> Failure {
        if !known.isEmpty, known == view.storedHeader {
            return Failure(
                .corrupt, path: log.watchedPrefix + String(sequence),
                "The commit's stored bytes are not those that were seen.",
                remedy: "Restore the object from a copy of the store.")
        }
        return Failure(
            .wrongStore, path: log.watchedPrefix + String(sequence),
            "The commit is not the one that was seen: the store was swapped or restored.",
            remedy: "Check that this is the right store.")
    }
}
