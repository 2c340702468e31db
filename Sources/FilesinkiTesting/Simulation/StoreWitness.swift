import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore

/// Reads the store without a replica, and remembers everything it ever contained.
struct StoreWitness {
    private let remote: any Remote
    private let log: CommitLog
    private var token: ChangeToken
    /// The packs that commits name and no prune has retired.
    private var readers: [PackReader] = []
    /// What was read since the last prune.
    private var readable: Set<HeldValue> = []
    private var inline: Set<ContentID> = []
    /// All values that a commit names, and whose bytes could be read until a prune removed them.
    private(set) var values: Set<HeldValue> = []
    /// The remote tree.
    private(set) var tree: [String: Entry] = [:]
    private var former: [String: Set<HeldValue>] = [:]
    private var deleted: [String: Set<HeldValue>] = [:]
    /// What a prune has removed, until a commit stores it again.
    private var gone: Set<HeldValue> = []
    /// What saves have kept as versions of the paths that they wrote, with the last commit that has it.
    private var kept: [String: [HeldValue: UInt64]] = [:]
    /// The commits of files that were read since they were last taken, with the paths that each changes.
    private var recent: [(device: String, paths: [RelativePath])] = []

    init(_ remote: any Remote, _ format: StoreFormat) throws {
        self.remote = remote
        log = try CommitLog(remote: remote, zone: "files", store: format)
        token = log.genesis
    }

    /// The number of commits.
    var commits: UInt64 { token.sequence }

    /// The commits that were read since the last call.
    mutating func takeRecent() -> [(device: String, paths: [RelativePath])] {
        defer { recent = [] }
        return recent
    }

    /// All values ever committed at a path or below it.
    func everHeld(_ path: String) -> Set<HeldValue> {
        former.filter { $0.key == path || $0.key.hasPrefix(path + "/") }
            .values.reduce(into: []) { $0.formUnion($1) }
    }

    /// What saves have kept as versions of a path, in commits after one of this number.
    func keptBySaves(at path: String, after sequence: UInt64) -> Set<HeldValue> {
        Set((kept[path] ?? [:]).filter { $0.value > sequence }.keys)
    }

    /// Reads the new commits.
    ///
    /// - Parameter placed: How often a user wrote a value at a path.
    /// - Returns: Their errors, as sentences.
    mutating func advance(_ placed: [Placement: Int]) async throws -> [String] {
        var wrong: [String] = []
        var commits: [Commit] = []
        while let commit = try await log.next(after: token) {
            token = commit.token
            commits.append(commit)
        }
        let pruned = commits.last { $0.pruning != nil }?.sequence ?? 0
        for commit in commits {
            recent.append((commit.device.name, commit.changes.map(\.path)))
            wrong += commit.refused.map { "commit \(commit.sequence): \($0.failure)" }
            inline.formUnion(commit.inline.map(\.id))
            readers += commit.packs.map { PackReader(remote: remote, reference: $0) }
            if let pruning = commit.pruning { try await retire(pruning) }
            for change in commit.superseded + commit.changes {
                // What a later prune has removed cannot be read any more.
                if commit.sequence < pruned {
                    HeldValue(change.entry).map { _ = values.insert($0) }
                } else if let missing = try await keep(change) {
                    wrong.append("commit \(commit.sequence): \(change.path) \(missing)")
                }
            }
            for version in commit.superseded where version.reason == Change.savedAgain {
                guard let value = HeldValue(version.entry) else { continue }
                kept[version.path.description, default: [:]][value] = commit.sequence
            }
            for change in commit.changes {
                if let wrongly = fold(change, placed) {
                    wrong.append("commit \(commit.sequence): \(change.path) \(wrongly)")
                }
            }
        }
        if pruned > 0 { wrong += try await unreadable() }
        return wrong
    }

    /// Forgets the packs that a prune has retired.
    private mutating func retire(_ pruning: Pruning) async throws {
        let retired = Set(pruning.retired)
        readers.removeAll { retired.contains($0.reference.id) }
        readable = []
        // The objects may be gone, and readers must not depend on when.
        for pack in retired {
            let pack = PackReference(id: pack, size: 0, indexHash: .none)
            try await remote.delete(ObjectKey(pack.keyText))
        }
        try await findGone()
    }

    /// Finds what paths had and the store does not hold any more: whoever has it may have the last copy, and sends it.
    private mutating func findGone() async throws {
        let locator = ContentLocator(packs: readers)
        for value in Set(former.values.joined()) {
            guard case .bytes(let content) = value, !inline.contains(content),
                try await locator.find(content) == nil
            else { continue }
            gone.insert(value)
        }
    }

    /// What of the current tree cannot be read after a prune.
    private mutating func unreadable() async throws -> [String] {
        var wrong: [String] = []
        for (path, entry) in tree.sorted(by: { $0.key < $1.key }) {
            let change = Change(path: try RelativePath(path), entry: entry, basedOn: 0)
            do {
                if let missing = try await keep(change) { wrong.append("\(path) \(missing)") }
            } catch {
                wrong.append("\(path): \(error)")
            }
        }
        return wrong
    }

    /// Remembers a value if its bytes can be read.
    private mutating func keep(_ change: Change) async throws -> String? {
        guard let value = HeldValue(change.entry), !readable.contains(value) else { return nil }
        if change.entry.kind == .file, !inline.contains(change.entry.content) {
            let locator = ContentLocator(packs: readers)
            guard try await locator.find(change.entry.content) != nil else {
                return "names a content that is not in the store"
            }
            _ = try await locator.read(change.entry.content, size: change.entry.size)
        }
        values.insert(value)
        readable.insert(value)
        return nil
    }

    private mutating func fold(_ change: Change, _ placed: [Placement: Int]) -> String? {
        let path = change.path.description
        if change.entry.kind == .tombstone {
            tree[path] = nil
            deleted[path, default: []].formUnion(former[path] ?? [])
            return nil
        }
        tree[path] = change.entry
        guard let value = HeldValue(change.entry) else { return nil }
        former[path, default: []].insert(value)
        if gone.remove(value) != nil { return nil }
        guard deleted[path]?.contains(value) ?? false else { return nil }
        // A user may have put it there a second time.
        let times = placed[Placement(path: path, value: value)] ?? 0
        return times < 2 ? "was deleted and came back" : nil
    }
}
