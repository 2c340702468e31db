import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRecords
import FilesinkiStore

/// Reads the whole log of a zone and collects what is damaged.
struct LogCheck {
    let log: CommitLog
    /// The tree after the last valid commit.
    private(set) var view: RemoteView
    private(set) var commits = 0
    /// Bytes of the contents stored inside commits.
    private(set) var inlineBytes: Int64 = 0
    private(set) var failures: [Failure] = []
    /// Every version of a path, superseded ones and those that were pruned included.
    private(set) var history = VersionHistory()
    private var times = CommitTimes()
    private var conflictPoints = ConflictPoints()
    /// The zone's name.
    let zone: String
    /// What the items of a zone of records name, by the contents of the items.
    private var assets: [ContentID: [Asset]] = [:]
    /// What the rows of a catalogue of zones say, by their contents.
    private var entries: [ContentID: ZoneEntry] = [:]
    /// The number of the items of a zone of records that this version of the program cannot decode.
    private(set) var unreadItems = 0
    /// The hash of each commit, by its number.
    private(set) var hashes: [UInt64: ContentID] = [:]

    init(_ log: CommitLog, zone: String = Zone.filesName) {
        self.log = log
        self.zone = zone
        view = RemoteView(token: log.genesis)
    }

    /// The log of any zone of a store.
    init(
        of zone: String, _ connection: ZoneConnection, limits: CommitLimits = .standard
    ) throws {
        self.init(
            try CommitLog(
                remote: connection.remote, zone: zone, store: connection.format, limits: limits),
            zone: zone)
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

    /// Reads the commits after a damaged or missing one, each on its own, because their parent cannot be verified. Each
    /// run of commits that are missing before others is one failure.
    ///
    /// - Parameter listed: What the store has of the zone.
    mutating func read(beyondDamage listed: StoreListing.Zone) async throws {
        let sequences = listed.commits.filter { $0 > view.token.sequence }
        try await addGaps(before: sequences)
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

    private mutating func addGaps(before sequences: [UInt64]) async throws {
        var next = view.token.sequence + 1
        for sequence in sequences {
            defer { next = sequence + 1 }
            guard sequence > next, let gap = try await log.gap(next...(sequence - 1)) else {
                continue
            }
            if let reported = failures.firstIndex(where: { $0.path == gap.path }) {
                // One that a checkpoint replaces is no damage of its own.
                if failures[reported].code == gap.code { failures[reported] = gap }
            } else {
                failures.append(gap)
            }
        }
    }

    /// Reads what was published since.
    ///
    /// - Throws: Also the first damage.
    mutating func readOn() async throws {
        try await read()
        if let failure = failures.first { throw failure }
    }

    /// When the commits were made; see ``CommitTimes``.
    func times(upTo now: Timestamp) -> CommitTimes {
        var times = times
        times.finish(now: now)
        return times
    }

    /// The commits whose trees are kept for the conflicts that are open after the last one; see ``ConflictPoints``.
    var treesOfConflicts: [ClosedRange<UInt64>] {
        conflictPoints.ranges(in: view.changes, history)
    }

    private mutating func add(_ commit: Commit) {
        times.add(commit.sequence, commit.time, changes: !commit.changes.isEmpty)
        view.fold(commit)
        // The contents were verified when the commit was decoded.
        view.carried = CarriedContents()
        commits += 1
        hashes[commit.sequence] = commit.token.hash
        inlineBytes += commit.inline.reduce(0) { $0 + Int64($1.bytes.count) }
        failures += commit.refused.map(\.failure)
        history.add(commit)
        conflictPoints.add(commit)
        if RecordItem.isZone(zone) { addAssets(commit.inline) }
        guard ZoneCatalogues.isCatalogue(zone) else { return }
        for item in commit.inline { entries[item.id] = ZoneEntry(encoded: item.bytes) }
    }

    private mutating func addAssets(_ items: [InlineContent]) {
        for item in items {
            switch RecordItem(item.bytes) {
            case .record(let record) where !record.assets.isEmpty: assets[item.id] = record.assets
            case .record, .schema: break
            case nil: unreadItems += 1
            }
        }
    }

    /// The rows of a catalogue after the last commit, by the zone, with the commit that set each.
    var catalogue: [String: (entry: ZoneEntry, sequence: UInt64)] {
        var found: [String: (ZoneEntry, UInt64)] = [:]
        for (path, change) in view.changes where change.entry.entry.kind == .file {
            guard let entry = entries[change.entry.entry.content] else { continue }
            // The characters of a zone's name stand for themselves.
            found[String(decoding: path.bytes, as: UTF8.self)] = (entry, change.entry.version)
        }
        return found
    }

    /// The current rows of a zone of records that name assets, with these, in order.
    var currentAssets: [(path: RelativePath, assets: [Asset])] {
        view.changes.sorted { $0.key < $1.key }.compactMap { path, change in
            guard change.entry.entry.kind == .file,
                let assets = assets[change.entry.entry.content]
            else { return nil }
            return (path, assets.filter { $0.size > 0 })
        }
    }

    /// The zone of the packs that the log names; see ``FilesinkiStore/PackReference/zone``.
    var packZone: String? { PackReference.packZone(zone) }

    /// What the versions that were not dropped need: their contents, and the assets that items name.
    var neededContents: [ContentID: VersionHistory.Use] { contents(of: history) }

    /// What the versions of a history need.
    func contents(of history: VersionHistory) -> [ContentID: VersionHistory.Use] {
        var contents = history.keptContents
        for (item, use) in contents {
            // An empty asset is not stored.
            for asset in assets[item] ?? [] where asset.size > 0 && contents[asset.content] == nil {
                contents[asset.content] = VersionHistory.Use(
                    path: use.path, size: Int64(clamping: asset.size))
            }
        }
        return contents
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

    /// The versions whose contents were given up by a repair and are not there again.
    ///
    /// - Parameter packs: All sound packs.
    func lostVersions(in packs: [PackReader]) async throws -> [LostVersion] {
        guard !history.lost.isEmpty else { return [] }
        let locator = ContentLocator(packs: packs)
        var gone = history.lost.subtracting(view.inline.map(\.content))
        for content in gone {
            if try await locator.isWhole(content) { gone.remove(content) }
        }
        return history.versions(with: gone, in: view.changes)
    }
}
