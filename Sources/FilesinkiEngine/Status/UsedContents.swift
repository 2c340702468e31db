import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// The contents that the history names, without those that prunes have dropped: their sizes, the paths that had them,
/// and who stored them; or those of the current tree alone.
///
/// Memory grows with the number of versions in the history, or with the tree.
struct UsedContents {
    /// A content of the history.
    struct Use {
        /// In bytes, plain.
        var size: Int64
        /// When the last version with this content was committed, by the clock of its device.
        var lastUse: Timestamp
        /// The paths that ever had it, by their numbers in ``paths``.
        var paths: [Int]
    }

    private(set) var contents: [ContentID: Use] = [:]
    private(set) var paths: [RelativePath] = []
    /// The files of the tree after the last commit, by the numbers of their paths.
    private(set) var tree: [Int: ContentID] = [:]
    /// The plain sizes of contents inside commits.
    private(set) var inline: [ContentID: Int64] = [:]
    /// The packs that commits name, each once.
    private(set) var packs: [PackReference] = []
    /// By the id of the device.
    private(set) var devices: [[UInt8]: StoreStatistics.DeviceShare] = [:]
    private(set) var growth = StoreGrowth()
    /// The versions of files in the history, and the sum of their sizes. A sum of invalid sizes wraps around.
    private(set) var versions = 0
    private(set) var versionBytes: Int64 = 0
    private var numbers: [RelativePath: Int] = [:]
    /// The ids of the devices that stored the packs which any commit has named, by the packs' ids.
    private var packDevices: [[UInt8]: [UInt8]] = [:]

    /// Reads the log from its first commit.
    init(_ reader: HistoryReader) async throws {
        var used = Self()
        var history = VersionHistory()
        try await reader.forEach { commit in
            used.add(commit)
            history.add(commit)
            return true
        }
        if history.droppedCount > 0 || !history.lost.isEmpty { used.removeDropped(history) }
        for (content, use) in used.contents where use.paths.count > 1 {
            used.contents[content]?.paths = Array(Set(use.paths))
        }
        self = used
    }

    private init() {}

    /// Reads the current tree from the manifest, and not the log. Nothing of the history is known then: neither versions,
    /// devices and growth, nor when a content was used.
    ///
    /// - Parameters:
    ///   - manifest: The rows of the tree that it knows, with the names of all packs and of its contents in commits.
    ///   - view: What was published since.
    init(tree manifest: FilesCheckpoint, _ view: RemoteView) throws {
        for (path, change) in view.changes { setFile(change.entry.entry, at: path) }
        var inCommits: [ContentID] = []
        var gone = view.lost
        while let rows = try manifest.next() {
            for row in rows.entries where view.changes[row.path] == nil {
                setFile(row.entry.entry, at: row.path)
            }
            packs += rows.packs.filter { !view.retired.contains($0.id) }
            // The rows of the tree come first.
            inCommits += rows.inline.map(\.id).filter { contents[$0] != nil }
            gone.formUnion(rows.lost)
        }
        let known = Set(packs.map(\.id))
        packs += view.packs.map(\.pack).filter { !known.contains($0.id) }
        for content in inCommits + view.inline.map(\.content) {
            inline[content] = contents[content]?.size
        }
        for content in gone { contents[content] = nil }
    }

    private mutating func setFile(_ entry: Entry, at path: RelativePath) {
        guard entry.kind == .file else { return }
        tree[paths.count] = entry.content
        contents[entry.content] = Use(
            size: entry.size, lastUse: Timestamp(seconds: 0, nanoseconds: 0), paths: [])
        paths.append(path)
    }

    private mutating func removeDropped(_ history: VersionHistory) {
        let kept = history.keptContents
        contents = contents.filter { kept[$0.key] != nil }
        versions = history.keptCount
        versionBytes = history.keptBytes
    }

    private mutating func add(_ commit: Commit) {
        for change in commit.superseded { use(change, commit) }
        for change in commit.changes {
            let number = use(change, commit)
            tree[number] = change.entry.kind == .file ? change.entry.content : nil
        }
        var stored = devices[commit.device.id] ?? .init(device: commit.device)
        stored.device.name = commit.device.name
        stored.commits += 1
        let before = stored.bytes
        for content in commit.inline where inline[content.id] == nil {
            inline[content.id] = Int64(content.bytes.count)
            stored.bytes += Int64(content.bytes.count)
        }
        for pack in commit.packs where packDevices[pack.id] == nil {
            packDevices[pack.id] = commit.device.id
            packs.append(pack)
            stored.packs += 1
            stored.bytes += pack.size
        }
        devices[commit.device.id] = stored
        let freed = commit.pruning.map { retire(Set($0.retired)) } ?? 0
        growth.add(at: commit.time, stored: stored.bytes &- before, freed: freed)
    }

    /// Removes packs that a prune has removed, from the shares of the devices, too.
    ///
    /// - Returns: Their size.
    private mutating func retire(_ retired: Set<[UInt8]>) -> Int64 {
        var freed: Int64 = 0
        for pack in packs where retired.contains(pack.id) {
            freed &+= pack.size
            guard let device = packDevices[pack.id] else { continue }
            devices[device]?.packs -= 1
            devices[device]?.bytes &-= pack.size
        }
        packs.removeAll { retired.contains($0.id) }
        return freed
    }

    /// - Returns: The number of the path.
    @discardableResult
    private mutating func use(_ change: Change, _ commit: Commit) -> Int {
        let number = numbers[change.path] ?? paths.count
        if number == paths.count {
            numbers[change.path] = number
            paths.append(change.path)
        }
        guard change.entry.kind == .file else { return number }
        versions += 1
        // The sizes are those of other devices.
        versionBytes &+= change.entry.size
        let new = Use(size: change.entry.size, lastUse: commit.time, paths: [])
        contents[change.entry.content, default: new].lastUse = commit.time
        if contents[change.entry.content]?.paths.last != number {
            contents[change.entry.content]?.paths.append(number)
        }
        return number
    }
}

/// What the contents of a store take in it.
///
/// A file is stored as one unit, or as a recipe and chunks: these are its units. A pack holds units in
/// compressed blocks; a unit takes its part of its block. A content inside a commit counts with its plain size,
/// because a commit is compressed as a whole. Memory grows with the number of units.
struct StoredUnits {
    /// One content, recipe or chunk.
    struct Unit {
        /// In bytes; 0 for a recipe, whose bytes are no part of a file.
        var plain: Int64
        /// In bytes, in the store.
        var stored: Int64
        /// How many contents have it.
        var users = 0
    }

    private(set) var units: [ContentID: Unit] = [:]
    /// The bytes of further copies in other packs.
    private(set) var duplicateBytes: Int64 = 0
    /// The chunks of contents that have a recipe, each once.
    private var chunks: [ContentID: [ContentID]] = [:]

    /// Reads the indexes of packs, and the recipes of some contents: one request for each index that is not in
    /// the cache, and one for some recipes at a time.
    ///
    /// - Throws: What the remote throws, and code `corrupt` for a damaged index or recipe.
    init(
        _ packs: [PackReader], inline: [ContentID: Int64], of contents: some Collection<ContentID>
    ) async throws {
        let wanted = Set(contents)
        for (id, size) in inline { units[id] = Unit(plain: size, stored: size) }
        var packed: Set<ContentID> = []
        for pack in packs { try await add(pack, wanted, &packed) }
        for content in wanted {
            for unit in self.units(of: content) { units[unit]?.users += 1 }
        }
    }

    /// What a content consists of in the store.
    func units(of content: ContentID) -> [ContentID] { [content] + (chunks[content] ?? []) }

    private mutating func add(
        _ pack: PackReader, _ wanted: Set<ContentID>, _ packed: inout Set<ContentID>
    ) async throws {
        let index = try await pack.index()
        var recipes: [(id: ContentID, member: PackMember)] = []
        index.forEachMember { id, member in
            let block = index.blocks[member.block]
            let length = Int64(member.length)
            let stored = Int64(block.stored.count) * length / Int64(max(1, block.plainLength))
            if packed.insert(id).inserted {
                let isRecipe = member.kind == .recipe
                units[id] = Unit(plain: isRecipe ? 0 : length, stored: stored)
                if isRecipe, wanted.contains(id) { recipes.append((id, member)) }
            } else {
                duplicateBytes += stored
            }
        }
        try await pack.readRecipes(recipes) { id, recipe in
            chunks[id] = Array(Set(recipe.parts.map(\.id)).subtracting([id]))
        }
    }
}
