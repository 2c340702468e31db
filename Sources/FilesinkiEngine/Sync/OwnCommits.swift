import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiRules
import FilesinkiStore
import FilesinkiSystem

extension SyncEngine {
    /// Adds the commits that a killed run published and did not record to the base.
    ///
    /// Without a token, because that run was the first one or because the manifest was lost, the base is
    /// recovered from the log and the note.
    ///
    /// - Returns: The commits. If there are any, the base has to be read again.
    func recordOwnCommits() async throws -> [Commit] {
        guard replica.lock != nil else { return [] }
        let note = try memory.publishingNote()
        guard let token = try manifest.token else { return try await recoverBase(note) }
        let own = try await ownCommits(note, after: token.sequence)
        // The token stays: commits before them may not have been fetched.
        for commit in own { try manifest.write { try record(commit, $0) } }
        return own
    }

    /// The commits of the note that are in the log and whose entries were in the root, in log order.
    func ownCommits(
        _ note: PublishingNote, after sequence: UInt64
    ) async throws -> [Commit] {
        try await zone.published(note.items.filter { $0.sequence > sequence && $0.isApplied })
    }

    /// Adds a commit of this replica to the base.
    func record(_ commit: Commit, _ writer: ManifestWriter) throws {
        for change in commit.changes {
            let former = try manifest.base(change.path)?.entry.identity
            try writer.agree(
                on: VersionedEntry(change.entry, version: commit.sequence),
                at: change.path, former: former.map { [$0] } ?? [], stamp: nil)
            // The waiting change is published, unless another one was found there since.
            if let row = try manifest.local(change.path), row.holds(change.entry) {
                try writer.removeLocal(change.path)
                try writer.setValue(Self.savedKey(change.path), nil)
            }
        }
    }

    /// Forgets what a fetch in batches has recorded as waiting, where a later commit of this replica has replaced it.
    func forgetWaiting(before own: [Commit]) throws {
        for commit in own {
            let stale = try commit.changes.map(\.path).filter { path in
                try manifest.remote(path).map { $0.entry.version < commit.sequence } ?? false
            }
            guard !stale.isEmpty else { continue }
            try manifest.write { for path in stale { try $0.removeRemote(path) } }
        }
    }

    /// Recovers the base of an empty manifest from what the log proves to have been in this replica: the
    /// tree at the noted position, with what the note has of open paths, and what this replica has published since.
    ///
    /// Only what is certain is added: a path that is in the base by mistake, and not in the root, would be
    /// deleted everywhere. Other paths are compared as for the first time: so are those that the replica does
    /// not hold, or did not for a time since, and those that have left the base since, as a note may be older than it.
    /// The token stays unset, so that a run that is killed here begins anew.
    ///
    /// - Returns: The own commits that were found since the position, with what was added of each.
    func recoverBase(_ note: PublishingNote) async throws -> [Commit] {
        guard note != PublishingNote() else { return [] }
        let choice = try rulesReader.choice()
        let choices = note.choices + (choice.map { [$0] } ?? [])
        func isHeld(_ path: RelativePath) -> Bool { choices.allSatisfy { $0.holds(path) } }
        var tree: [RelativePath: VersionedEntry] = [:]
        if let position = note.position, let known = try await treeKnown(at: position.token) {
            tree = known
            for path in position.open { tree[path] = position.bases[path] }
        }
        tree = tree.filter { $0.value.entry.kind != .tombstone && isHeld($0.key) }
        var own = try await ownCommits(note, after: note.position?.token.sequence ?? 0)
            .map { commit in
                var held = commit
                held.changes.removeAll { !isHeld($0.path) }
                return held
            }
        let left = try await mayHaveLeft(tree, own)
        tree = tree.filter { !left.contains($0.key) }
        for index in own.indices {
            own[index].changes.removeAll { change in
                change.entry.kind != .tombstone && left.contains(change.path)
            }
        }
        try manifest.write { [tree, own] writer in
            // A run that was killed may have added them, and then removed them from the root as others did.
            for path in left { try writer.removeBase(path) }
            for (path, entry) in tree {
                try writer.agree(on: entry, at: path, former: [], stamp: nil)
            }
            for commit in own { try record(commit, writer) }
        }
        return own
    }

    /// Of the paths that would be in a recovered base, those that are not in the root, and of which the log has a later
    /// version or none: they may have left the base as others deleted or renamed them, not because they were deleted here.
    ///
    /// Looks at each path in the root. If any is missing, the log is read once more, from its newest checkpoint to its end.
    private func mayHaveLeft(
        _ tree: [RelativePath: VersionedEntry], _ own: [Commit]
    ) async throws -> Set<RelativePath> {
        var versions = tree.mapValues(\.version)
        for commit in own {
            for change in commit.changes {
                versions[change.path] =
                    change.entry.kind == .tombstone ? nil : commit.sequence
            }
        }
        versions = versions.filter { isMissing($0.key) }
        guard !versions.isEmpty else { return [] }
        var end = FetchedTree(view: try knownView(nil), manifest: manifest)
        _ = try await zone.read(upTo: .max, into: &end)
        let latest = end.view.changes.mapValues(\.entry.version)
        // One that the log does not have at all was deleted so long ago that this is forgotten.
        return Set(versions.filter { latest[$0.key] ?? .max > $0.value }.keys)
    }

    /// Whether nothing is at a path of the root. What cannot be examined counts as there.
    private func isMissing(_ path: RelativePath) -> Bool {
        do { return try root.statusIfThere(path) == nil } catch { return false }
    }

    /// The remote tree at a token; if the log no longer reaches back to it, the part that has not changed
    /// since. Nil if the token does not belong to this log.
    private func treeKnown(at token: ChangeToken) async throws -> [RelativePath: VersionedEntry]? {
        var tree = FetchedTree(view: try knownView(nil), manifest: manifest)
        let reached = try await zone.read(upTo: token.sequence, into: &tree)
        if reached.sequence == token.sequence {
            return reached == token ? tree.view.changes.mapValues(\.entry) : nil
        }
        return try await treeUnchanged(since: token)
    }

    /// The entries of the newest checkpoint that were set up to a token; nil if the checkpoint is not
    /// later.
    private func treeUnchanged(
        since token: ChangeToken
    ) async throws -> [RelativePath: VersionedEntry]? {
        var tree: [RelativePath: VersionedEntry] = [:]
        var reader = try await connected().checkpoints.newestReader()
        while let step = try await reader.next() {
            switch step {
            case .begin: tree = [:]
            case .rows(let rows):
                for row in rows.entries where row.entry.version <= token.sequence {
                    tree[row.path] = row.entry
                }
            }
        }
        guard let later = reader.token, later.sequence > token.sequence else { return nil }
        return tree
    }
}

extension LocalRow {
    /// Whether the waiting change is the published one.
    fileprivate func holds(_ published: Entry) -> Bool {
        entry?.agrees(with: published) ?? (published.kind == .tombstone)
    }
}

/// What the next run cannot know if this one is killed, or if the manifest is lost: the commits of this
/// replica, noted before they are published, and the position of its base in the log.
///
/// A run that is killed between the publication of its commit and its record in the manifest leaves a
/// base that is older than what this replica has published. The note names the commit, so that the next
/// run takes it into the base: later local edits are based on it. A commit of this device that is in no
/// note was published by a copy of this replica.
///
/// The note is not synced to disk. A power cut that loses it loses no content: the next run then treats
/// the local edits and their own commit as a conflict.
struct PublishingNote: Equatable {
    /// The position of the base: it was the remote tree after this commit, except at the open paths.
    struct Position: Equatable {
        var token: ChangeToken
        /// Paths on which the remote tree and the base differed.
        var open: [RelativePath]
        /// What the base had at them; nothing at a path that was not in it, or by a note of an older version.
        var bases: [RelativePath: VersionedEntry] = [:]
    }

    var position: Position?
    /// The commits since the position, the oldest first.
    private(set) var items: [OwnCommit] = []
    /// What the replica held while the manifest was lost, before other paths were chosen: what one of these does not hold
    /// may be gone here since, and is deleted nowhere.
    private(set) var choices: [PathChoice] = []

    /// The most commits that are kept; there are more only while the position cannot move.
    static let maximumItems = 256
    /// A position with more open paths than this is not noted.
    static let maximumOpen = 200

    init() {}

    mutating func add(_ item: OwnCommit) {
        items.append(item)
        if items.count > Self.maximumItems {
            items.removeFirst(items.count - Self.maximumItems)
        }
    }

    /// Sets the position of the base.
    mutating func move(to position: Position) {
        self.position = position
        choices = []
        items.removeAll { $0.sequence <= position.token.sequence }
    }

    /// Notes that the base is not known outside of a choice.
    mutating func leaveOut(outside choice: PathChoice) {
        if !choices.contains(choice) { choices.append(choice) }
    }

    /// Forgets the position, and that the commits up to one were applied. That they are this replica's own
    /// stays known.
    mutating func forgetBase(upTo sequence: UInt64) {
        position = nil
        choices = []
        for index in items.indices where items[index].sequence <= sequence {
            items[index].isApplied = false
        }
    }

    /// Whether the note need not move to a later position: since its own there are only commits of this
    /// replica.
    func covers(_ position: Position) -> Bool {
        guard choices.isEmpty, let known = self.position, known.open == position.open,
            known.bases == position.bases, known.token.sequence <= position.token.sequence
        else { return false }
        let own = Set(items.filter(\.isApplied).map(\.sequence))
        let (begin, end) = (known.token.sequence, position.token.sequence)
        guard end - begin <= UInt64(own.count) else { return false }
        return begin == end || ((begin + 1)...end).allSatisfy(own.contains)
    }

    /// Whether the note names this commit.
    func names(_ sequence: UInt64, _ id: [UInt8]) -> Bool {
        items.contains { $0.sequence == sequence && $0.id == id }
    }

    /// The word behind a commit whose entries were not in the root.
    private static let apart = "apart"

    /// The word before the paths of a choice.
    private static let only = "only"

    /// The word before an open path and what the base had there.
    private static let based = "based"

    /// Reads a note. Skips malformed lines, a last line without its end, as it may be that of another path, and a position
    /// whose number of open paths is wrong.
    init(_ bytes: [UInt8]) {
        var position: Position?
        var count = 0
        let end = bytes.lastIndex(of: UInt8(ascii: "\n")) ?? 0
        for words in Array(bytes[..<end]).noteLines {
            if words.first == "base", words.count == 4, let sequence = UInt64(words[1]),
                let hash = FilesinkiModel.bytes(hexadecimal: words[2]).flatMap(ContentID.init),
                let open = Int(words[3])
            {
                count = open
                position = Position(
                    token: ChangeToken(sequence: sequence, hash: hash), open: [])
            } else if words.first == "open", words.count == 2,
                let path = FilesinkiModel.bytes(hexadecimal: words[1])
            {
                position?.open.append(RelativePath(unchecked: path))
            } else if words.first == Self.based, words.count > 2,
                let path = RelativePath(noteWord: words[1]),
                let entry = VersionedEntry(noteWords: words.dropFirst(2))
            {
                position?.bases[path] = entry
            } else if words.first == Self.only {
                let paths = words.dropFirst().compactMap { RelativePath(noteWord: $0) }
                choices.append(PathChoice(paths))
            } else if (2...3).contains(words.count), let sequence = UInt64(words[0]),
                let id = FilesinkiModel.bytes(hexadecimal: words[1]), id.count == 16
            {
                items.append(
                    OwnCommit(sequence: sequence, id: id, isApplied: words.count == 2))
            }
        }
        if position?.open.count == count { self.position = position }
    }

    /// A line for each choice, as a position without them would say more; one for the position, for what the base had at its
    /// open paths, and for each of these, so that one that is cut is left out; then one for each commit. Older versions skip
    /// what the base had.
    var bytes: [UInt8] {
        var lines = choices.map { choice in
            ([Self.only] + choice.paths.map { hexadecimal($0.bytes) }).joined(separator: " ")
        }
        if let position {
            let token = position.token
            lines.append("base \(token.sequence) \(token.hash) \(position.open.count)")
            lines += position.open.compactMap { path in
                position.bases[path].map {
                    "\(Self.based) \(hexadecimal(path.bytes)) \($0.noteWords)"
                }
            }
            lines += position.open.map { "open \(hexadecimal($0.bytes))" }
        }
        lines += items.map {
            "\($0.sequence) \(hexadecimal($0.id))" + ($0.isApplied ? "" : " \(Self.apart)")
        }
        return Array(lines.map { $0 + "\n" }.joined().utf8)
    }
}

extension VersionedEntry {
    /// The version, the kind and the words of the entry, and the target of a symlink in hexadecimal.
    fileprivate var noteWords: String {
        let words = "\(version) \(entry.kind.rawValue) \(entry.fileWords)"
        return entry.kind == .symlink ? "\(words) \(hexadecimal(entry.target))" : words
    }

    /// Parses ``noteWords``; nil for malformed words.
    fileprivate init?(noteWords words: some Collection<String>) {
        let words = Array(words)
        guard words.count >= 6, let version = UInt64(words[0]),
            let kind = UInt8(words[1]).flatMap(Entry.Kind.init(rawValue:)), kind != .tombstone,
            words.count == (kind == .symlink ? 7 : 6),
            var entry = Entry(fileWords: words[2..<6])
        else { return nil }
        entry.kind = kind
        if kind == .symlink {
            guard let target = FilesinkiModel.bytes(hexadecimal: words[6]) else { return nil }
            entry.target = target
        }
        self.init(entry, version: version)
    }
}
