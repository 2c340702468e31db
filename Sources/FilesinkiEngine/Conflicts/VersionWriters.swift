import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// Who committed the versions at the paths of open conflicts.
struct VersionWriters: Equatable, Sendable {
    struct Item: Equatable, Sendable {
        var version: UInt64
        var device: Device
        /// The version in which that device committed it: an earlier one, if an undo has put it in place again.
        var origin: UInt64
        /// What the version is, by which it is known in another store; nil if that is not known.
        var content: ContentID?
    }

    var items: [RelativePath: Item] = [:]
    /// The versions in which conflict copies were made, also after edits of them.
    var copies: [RelativePath: UInt64] = [:]
    /// Whether a run has changed versions, and has not looked up their writers yet.
    var isStale = false

    init() {}

    /// Parses ``bytes``. Skips malformed lines.
    init(_ bytes: [UInt8]) {
        for words in bytes.noteLines {
            if words == [Self.stale] { isStale = true }
            if words.count == 3, words[0] == Self.copy,
                let path = FilesinkiModel.bytes(hexadecimal: words[1]),
                let path = try? RelativePath(path), let version = UInt64(words[2])
            {
                copies[path] = version
            }
            guard (4...6).contains(words.count),
                let path = FilesinkiModel.bytes(hexadecimal: words[0]),
                let path = try? RelativePath(path), let version = UInt64(words[1]),
                let id = FilesinkiModel.bytes(hexadecimal: words[2]),
                let name = FilesinkiModel.bytes(hexadecimal: words[3])
            else { continue }
            let device = Device(id: id, name: String(decoding: name, as: UTF8.self))
            let origin = words.count > 4 ? UInt64(words[4]) : version
            let content = words.count > 5 ? ContentID(hexadecimal: words[5]) : nil
            items[path] = Item(
                version: version, device: device, origin: origin ?? version, content: content)
        }
    }

    /// One line for each path: the path, the version, and the device's id and name, in hexadecimal, the origin, and the content
    /// where it is known. One line for each conflict copy: a word, the path, and the version.
    var bytes: [UInt8] {
        let lines = items.sorted { $0.key < $1.key }.map { path, item in
            let device = item.device
            return "\(hexadecimal(path.bytes)) \(item.version) \(hexadecimal(device.id)) "
                + hexadecimal(Array(device.name.utf8)) + " \(item.origin)"
                + (item.content.map { " \($0)" } ?? "") + "\n"
        }
        let made = copies.sorted { $0.key < $1.key }.map { path, version in
            "\(Self.copy) \(hexadecimal(path.bytes)) \(version)\n"
        }
        return Array(((isStale ? [Self.stale + "\n"] : []) + lines + made).joined().utf8)
    }

    private static let stale = "stale"
    private static let copy = "copy"

    /// The device that committed a version of a path; nil if it is not known.
    func writer(of version: UInt64, at path: RelativePath) -> Device? {
        items[path].flatMap { version > 0 && $0.version == version ? $0.device : nil }
    }

    /// The version in which the content of a version of a path was committed by its writer.
    func origin(of version: UInt64, at path: RelativePath) -> UInt64 {
        items[path].flatMap { $0.version == version ? $0.origin : nil } ?? version
    }

    /// Forgets the numbers of versions, as they are of a store that is left. Who wrote which content stays known.
    mutating func forgetVersions() {
        items = items.mapValues { item in
            var item = item
            (item.version, item.origin) = (0, 0)
            return item
        }
        copies = [:]
        isStale = true
    }

    /// Goes on with a writer that was known before, if the version is still what that device wrote.
    mutating func keep(
        _ known: VersionWriters, of version: UInt64, _ content: ContentID?, at path: RelativePath
    ) {
        guard var item = known.items[path], let content, item.content == content else { return }
        // In this store it was never edited.
        (item.version, item.origin) = (version, 0)
        items[path] = item
    }

    fileprivate static let name = "conflict-writers"
}

extension ManifestDatabase {
    func conflictWriters() throws -> VersionWriters {
        VersionWriters(try value(VersionWriters.name) ?? [])
    }
}

extension ManifestWriter {
    /// Forgets the versions of conflicts in a store that is left: see ``VersionWriters/forgetVersions()``.
    func forgetConflictVersions(in manifest: ManifestDatabase) throws {
        var known = try manifest.conflictWriters()
        guard known != VersionWriters() else { return }
        known.forgetVersions()
        try setValue(VersionWriters.name, known.bytes)
    }
}

extension SyncEngine {
    /// Notes that writers have to be looked up, if steps may have changed whose version of a conflict is whose. A
    /// run that is killed before it does so leaves that to the next one.
    func noteStaleWriters(_ steps: [Step]) throws {
        var known = try manifest.conflictWriters()
        if known.isStale { return }
        known.isStale = steps.contains { step in
            known.items[step.path] != nil || step.action == .leave
                // A quick test for most paths.
                || step.path.bytes.contains(UInt8(ascii: "("))
                    && conflictOriginal(of: step.path) != nil
        }
        guard known.isStale else { return }
        try manifest.write { [known] in try $0.setValue(VersionWriters.name, known.bytes) }
    }

    /// Looks up who committed what is at the paths of conflicts, so that `here` can be told from `there` without the
    /// remote: one request for the commits that are not known yet.
    func noteWriters() async throws {
        let open = try conflicts.openRows()
        let known = try manifest.conflictWriters()
        var found = VersionWriters()
        var unknown: [RelativePath: UInt64] = [:]
        var contents: [RelativePath: ContentID] = [:]
        for row in open {
            if let copy = row.copyPath {
                found.copies[copy] = try known.copies[copy] ?? conflicts.versionMade(of: copy)
            }
            guard let version = try conflicts.otherVersion(of: row) else { continue }
            if row.copyPath != nil {
                contents[row.path] = try manifest.base(row.path)?.entry.identity
            }
            if known.writer(of: version, at: row.path) != nil {
                found.items[row.path] = known.items[row.path]
                found.items[row.path]?.content = contents[row.path]
            } else {
                unknown[row.path] = version
            }
        }
        var commits: [UInt64: Commit] = [:]
        let versions = Set(unknown.values).sorted()
        if !versions.isEmpty {
            try await connected().log.read(versions) { sequence, commit in
                // One that was pruned, or cannot be read, leaves its writer unknown.
                if let found = try? commit.get() { commits[sequence] = found }
            }
        }
        for (path, version) in unknown {
            guard let commit = commits[version] else { continue }
            if commit.hasFoundConflict(of: path) {
                found.keep(known, of: version, contents[path], at: path)
                continue
            }
            let (device, origin) = try await writer(of: commit, at: path)
            found.items[path] = VersionWriters.Item(
                version: version, device: device, origin: origin, content: contents[path])
        }
        guard found != known else { return }
        let bytes = found.items.isEmpty && found.copies.isEmpty ? nil : found.bytes
        try manifest.write { try $0.setValue(VersionWriters.name, bytes) }
    }

    /// How many versions are followed back to the one that an undo has put in place again.
    private static let followedVersions = 8

    /// Who wrote what a commit has at a path, and in which version: of one that an undo has put in place again, the device that
    /// had committed it before. That costs a request for each version since.
    private func writer(
        of commit: Commit, at path: RelativePath
    ) async throws -> (Device, origin: UInt64) {
        guard let change = commit.changes.first(where: { $0.path == path }),
            commit.opensAgain(change)
        else { return (commit.device, commit.sequence) }
        var version = change.basedOn
        for _ in 0..<Self.followedVersions where version > 0 {
            // One that was pruned leaves the device of the undo.
            guard let earlier = try? await connected().log.read(version),
                let known = earlier.changes.first(where: { $0.path == path })
            else { break }
            if known.entry.hasSameContent(as: change.entry), !earlier.opensAgain(known) {
                return (earlier.device, earlier.sequence)
            }
            version = known.basedOn
        }
        return (commit.device, commit.sequence)
    }
}

extension Commit {
    /// Whether a path is new to the store together with a conflict copy of it: the conflict is older than the store, and who has published
    /// both need not have written either.
    fileprivate func hasFoundConflict(of path: RelativePath) -> Bool {
        changes.contains { $0.path == path && $0.basedOn == 0 && $0.movedFrom == nil }
            && changes.contains {
                $0.entry.kind != .tombstone && $0.basedOn == 0
                    && conflictOriginal(of: $0.path)?.path == path
            }
    }

    /// Whether the commit has opened the conflict of a path again, which it changes: it has its copy, too.
    fileprivate func opensAgain(_ change: Change) -> Bool {
        [Change.openedAgain, Change.resolved].contains(change.reason)
            && changes.contains {
                $0.isConflictCopy && conflictOriginal(of: $0.path)?.path == change.path
            }
    }
}
