import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// What takes the space in the store: by path, by kind, by age and by device.
///
/// What the current tree takes is read from the manifest, and from the commits that it does not have yet. What the
/// history takes cannot be had without reading the log from its first commit: which versions use a content decides what
/// it counts for, so no sum by path or day stays right when a commit is added. Both read the indexes of all packs, which
/// are cached, and the recipes of large files; ``statistics()`` also lists the store. They need the remote. The contents
/// of files are not read.
struct StoreUsage: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Sums what paths take, plain and in the store, as of the last commit of the store.
    ///
    /// - Parameters:
    ///   - scopes: Only these paths and what is below them; empty for everything.
    ///   - depth: How far below the scopes, or below the root, paths are listed; 0 for the scopes alone.
    ///   - history: Whether all versions in the history count, and not only the current tree. Costs the whole log;
    ///     without it, the tree, and the names of the packs and of the contents in commits.
    /// - Throws: What the remote throws, and code `corrupt` for damage.
    func paths(
        _ scopes: [RelativePath], depth: Int, history: Bool
    ) async throws -> PathUsageReport {
        let used =
            try await history ? UsedContents(self.history.historyReader()) : currentContents()
        var holders: [ContentID: [Int]] = [:]
        if history {
            holders = used.contents.mapValues(\.paths)
        } else {
            for (path, content) in used.tree { holders[content, default: []].append(path) }
        }
        let stored = try await units(used, of: holders.keys)
        var sum = PathSum(scopes: scopes, depth: depth)
        var shared: [ContentID: Set<Int>] = [:]
        for (content, numbers) in holders {
            let plain = used.contents[content]?.size ?? 0
            var own: Int64 = 0
            for id in stored.units(of: content) {
                guard let unit = stored.units[id] else { continue }
                if unit.users < 2 {
                    own += unit.stored
                } else {
                    shared[id, default: []].formUnion(numbers)
                }
            }
            let paths = numbers.map { used.paths[$0] }
            for path in paths { sum.countFile(at: path) }
            sum.add(plain: plain, stored: own, of: paths)
        }
        for (id, numbers) in shared {
            let paths = numbers.map { used.paths[$0] }
            sum.add(plain: 0, stored: stored.units[id]?.stored ?? 0, of: paths)
        }
        return sum.report
    }

    /// Counts the objects of the store and what its contents take. Reads the whole log.
    ///
    /// - Throws: As ``paths(_:depth:history:)``.
    func statistics() async throws -> StoreStatistics {
        let connection = try await connected()
        let used = try await UsedContents(history.historyReader())
        let stored = try await units(used, of: used.contents.keys)
        var result = StoreStatistics()
        let listing = try await StoreListing.read(from: connection.remote)
        for (kind, total) in listing.totals {
            result.objects[.init(kind)] = .init(count: total.count, bytes: total.bytes)
        }
        for id in used.packs.map(\.id) where listing.packs[id] != nil { result.namedPacks += 1 }
        result.files = used.tree.count
        result.fileBytes = used.tree.values.reduce(0) { $0 &+ (used.contents[$1]?.size ?? 0) }
        result.versions = used.versions
        result.versionBytes = used.versionBytes
        result.contents = used.contents.count
        count(used, stored, &result)
        result.duplicateBytes = stored.duplicateBytes
        result.growth = used.growth
        result.devices = used.devices.values.sorted {
            ($1.bytes, $0.device.name) < ($0.bytes, $1.device.name)
        }
        return result
    }

    /// The contents of the tree after the last commit: from the log, if another process has changed the manifest since
    /// the log was asked for what is new.
    private func currentContents() async throws -> UsedContents {
        let token = try manifest.token
        let reader = try await history.historyReader()
        let used = try manifest.snapshot {
            try manifest.token == token
                ? UsedContents(tree: FilesCheckpoint(manifest), reader.view) : nil
        }
        if let used { return used }
        return try await UsedContents(reader)
    }

    private func units(
        _ used: UsedContents, of contents: some Collection<ContentID>
    ) async throws -> StoredUnits {
        let connection = try await connected()
        let cache = IndexFolder(path: state.indexes)
        return try await StoredUnits(
            used.packs.map {
                PackReader(remote: connection.remote, reference: $0, cache: cache)
            }, inline: used.inline, of: contents)
    }

    /// Divides contents and units by their last use.
    private func count(
        _ used: UsedContents, _ stored: StoredUnits, _ result: inout StoreStatistics
    ) {
        let now = systemContext.now()
        let current = Set(used.tree.values)
        var ages: [ContentID: StoreStatistics.Age] = [:]
        for (content, use) in used.contents {
            let age =
                current.contains(content)
                ? .current : StoreStatistics.Age(seconds: now.seconds - use.lastUse.seconds)
            result.ages[age, default: .init()].contents += 1
            for id in stored.units(of: content) { ages[id] = min(age, ages[id] ?? age) }
        }
        for (id, unit) in stored.units {
            guard let age = ages[id] else {
                result.unusedBytes += unit.stored
                continue
            }
            result.plainBytes += unit.plain
            result.ages[age, default: .init()].bytes += unit.plain
            result.ages[age, default: .init()].storedBytes += unit.stored
        }
    }
}

/// What a path takes in the store.
package struct PathUsage: Hashable, Sendable {
    package var isFolder = false
    /// The number of files, or of versions; the same content at a path counts once.
    package var files = 0
    /// The sizes of the different contents.
    package var bytes: Int64 = 0
    /// What the store needs for them.
    package var storedBytes: Int64 = 0
    /// Those of ``storedBytes`` that more than one path uses.
    package var sharedBytes: Int64 = 0

    package init() {}
}

/// What paths take in the store.
package struct PathUsageReport: Sendable {
    /// In path order.
    package var paths: [(path: RelativePath, usage: PathUsage)]
    /// All of the chosen paths; a content that several of them use counts once.
    package var total: PathUsage
}

/// Adds up contents by path.
private struct PathSum {
    private let scopes: [(path: RelativePath, level: Int)]
    private let depth: Int
    private var usages: [RelativePath: PathUsage] = [:]
    private var total = PathUsage()

    init(scopes: [RelativePath], depth: Int) {
        self.scopes = scopes.map { ($0, $0.ancestors.count + 1) }
        self.depth = depth
    }

    var report: PathUsageReport {
        PathUsageReport(
            paths: usages.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, total: total)
    }

    mutating func countFile(at path: RelativePath) {
        guard isChosen(path) else { return }
        total.files += 1
        for line in lines(of: path) {
            usages[line, default: PathUsage()].files += 1
            if line != path { usages[line]?.isFolder = true }
        }
    }

    /// Adds what one or more paths share to each line once.
    mutating func add(plain: Int64, stored: Int64, of paths: [RelativePath]) {
        let chosen = paths.filter(isChosen)
        guard !chosen.isEmpty else { return }
        let shared = paths.count > 1 ? stored : 0
        func add(_ usage: inout PathUsage) {
            usage.bytes &+= plain
            usage.storedBytes += stored
            usage.sharedBytes += shared
        }
        add(&total)
        for line in Set(chosen.flatMap(lines)) { add(&usages[line, default: PathUsage()]) }
    }

    private func isChosen(_ path: RelativePath) -> Bool {
        scopes.isEmpty || scopes.contains { path == $0.path || path.isInside($0.path) }
    }

    /// The listed paths that a path counts for: itself and folders above it.
    private func lines(of path: RelativePath) -> [RelativePath] {
        let chain = [path] + path.ancestors
        let deepest = scopes.filter { path == $0.path || path.isInside($0.path) }
            .map { $0.level...($0.level + depth) }
        return chain.enumerated().filter { index, _ in
            let level = chain.count - index
            return scopes.isEmpty ? level <= depth : deepest.contains { $0.contains(level) }
        }.map(\.element)
    }
}

/// What is in a store, in numbers.
package struct StoreStatistics: Sendable {
    /// What an object of the store is.
    package enum ObjectKind: CaseIterable, Sendable {
        case commits, archives, checkpoints, checkpointParts, packs, assetPacks, acknowledgements,
            format, keys,
            foreign

        fileprivate init(_ kind: StoreListing.Kind) {
            switch kind {
            case .commits: self = .commits
            case .archives: self = .archives
            case .checkpoints: self = .checkpoints
            case .checkpointParts: self = .checkpointParts
            case .assetPacks: self = .assetPacks
            case .packs: self = .packs
            case .acknowledgements: self = .acknowledgements
            case .format: self = .format
            case .keys: self = .keys
            case .foreign: self = .foreign
            }
        }
    }

    /// The objects of one kind.
    package struct ObjectTotal: Hashable, Sendable {
        package var count: Int
        package var bytes: Int64
    }

    /// When the last version that uses a content was committed.
    package enum Age: Int, CaseIterable, Comparable, Sendable {
        /// The current tree uses it.
        case current
        case day, week, month, year, older

        /// - Parameter seconds: Since the commit; negative if a clock was ahead.
        init(seconds: Int64) {
            let limits: [(Int64, Age)] = [(1, .day), (7, .week), (30, .month), (365, .year)]
            self = limits.first { seconds < $0.0 * 86_400 }?.1 ?? .older
        }

        package static func < (left: Age, right: Age) -> Bool { left.rawValue < right.rawValue }
    }

    /// The contents of one age.
    package struct AgeShare: Hashable, Sendable {
        package var contents = 0
        /// The plain size; chunks that several contents have count once, at the youngest.
        package var bytes: Int64 = 0
        package var storedBytes: Int64 = 0

        package init() {}
    }

    /// What a device has stored, without the packs that prunes have removed since.
    package struct DeviceShare: Hashable, Sendable {
        package var device: Device
        package var commits = 0
        /// Those that commits name now. What a prune rewrites is of the device that prunes.
        package var packs = 0
        /// The sizes of its packs and of its contents inside commits.
        package var bytes: Int64 = 0
    }

    package var objects: [ObjectKind: ObjectTotal] = [:]
    /// The number of packs that commits name. The others are of unfinished uploads.
    package var namedPacks = 0
    /// The files of the current tree.
    package var files = 0
    package var fileBytes: Int64 = 0
    /// The versions of files in the history.
    package var versions = 0
    package var versionBytes: Int64 = 0
    /// The different contents of the versions.
    package var contents = 0
    /// The plain size of the different contents and chunks.
    package var plainBytes: Int64 = 0
    package var ages: [Age: AgeShare] = [:]
    /// Stored contents that no version uses.
    package var unusedBytes: Int64 = 0
    /// Further copies of stored contents.
    package var duplicateBytes: Int64 = 0
    /// What the commits of each day have added.
    package var growth = StoreGrowth()
    /// The largest share first.
    package var devices: [DeviceShare] = []

    /// What the contents and chunks of the history take in the store.
    package var storedBytes: Int64 { ages.values.reduce(0) { $0 + $1.storedBytes } }

    /// What the store holds beyond the contents of the current tree.
    package var notCurrentBytes: Int64 {
        storedBytes - (ages[.current]?.storedBytes ?? 0) + unusedBytes + duplicateBytes
    }
}
