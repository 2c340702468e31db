import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// Looks up who wrote the versions in place of conflicts: see ``VersionWriters``.
extension SyncEngine {
    /// Notes that writers have to be looked up, if steps may have changed whose version of a conflict is whose. A
    /// run that is killed before it does so leaves that to the next one.
    func noteStaleWriters(_ steps: [Step]) throws {
        var known = try manifest.conflictWriters()
        if known.isStale { return }
        let ended = known.endedPaths
        known.isStale = steps.contains { step in
            known.items[step.path] != nil || step.action == .leave
                // A file that is back opens a conflict again.
                || step.base == nil && ended.contains(step.path)
                // A quick test for most paths.
                || step.path.bytes.contains(UInt8(ascii: "("))
                    && conflictOriginal(of: step.path) != nil
        }
        guard known.isStale else { return }
        try manifest.write { [known] in try $0.setValue(VersionWriters.name, known.bytes) }
    }

    /// Looks up who wrote what is at the paths of conflicts, so that `here` can be told from `there` without the
    /// remote: one request for the commits of contents that are not known yet.
    func noteWriters() async throws {
        let open = try conflicts.openRows()
        let (known, renames) = try (manifest.conflictWriters(), manifest.leftRenames())
        var found = VersionWriters()
        var unknown: [RelativePath: VersionInPlace] = [:]
        for row in open {
            if let copy = row.copyPath {
                found.copies[copy] = try known.copies[copy] ?? conflicts.versionMade(of: copy)
            }
            guard let version = try conflicts.otherVersion(of: row, renames) else { continue }
            let place = VersionInPlace(
                version: version,
                content: row.copyPath == nil ? nil : try manifest.base(row.path)?.entry.identity)
            found.items[row.path] = known.items[row.path]?.at(place)
            unknown[row.path] = found.items[row.path] == nil ? place : nil
        }
        let commits = try await commits(Set(unknown.values.map(\.version)))
        for (path, place) in unknown {
            guard let commit = commits[place.version] else { continue }
            found.items[path] = try await item(of: commit, at: path, place, known)
        }
        found.keepEnded(of: known)
        guard found != known else { return }
        let bytes = found == VersionWriters() ? nil : found.bytes
        try manifest.write { try $0.setValue(VersionWriters.name, bytes) }
    }

    private func commits(_ versions: Set<UInt64>) async throws -> [UInt64: Commit] {
        var commits: [UInt64: Commit] = [:]
        guard !versions.isEmpty else { return commits }
        try await connected().log.read(versions.filter { $0 > 0 }.sorted()) { sequence, commit in
            // One that was pruned, or cannot be read, leaves its writer unknown.
            if let found = try? commit.get() { commits[sequence] = found }
        }
        return commits
    }

    /// Who wrote what a commit has put in place of a conflict. What it has only put back is of who wrote it before.
    private func item(
        of commit: Commit, at path: RelativePath, _ place: VersionInPlace, _ known: VersionWriters
    ) async throws -> VersionWriters.Item {
        let own = VersionWriters.Item(
            version: place.version, device: commit.device, origin: commit.sequence,
            content: place.content)
        guard let change = commit.change(of: path) else { return own }
        let isAgain = commit.opensAgain(change)
        if isAgain || change.isNew || change.reason == Change.restored,
            let item = known.item(of: place.content, at: path)?.at(place)
        {
            return item
        }
        if isAgain, let (device, origin) = try await writer(before: change) {
            return VersionWriters.Item(
                version: place.version, device: device, origin: origin, content: place.content)
        }
        if let item = try await item(ofChosen: change, in: commit, place) { return item }
        guard isAgain || commit.putsBack(change) else { return own }
        // Where another content was in place before, a restored one is later than the conflict.
        let isLater = !isAgain && known.items[path].map { $0.version > 0 } ?? false
        return VersionWriters.Item(
            version: place.version, device: nil, origin: isLater ? commit.sequence : 0,
            content: place.content)
    }

    /// Who wrote a conflict copy that a resolve has put in place, while another conflict of the path stays
    /// open; nil if it was no copy. The copy of an undo is of no known device. Costs a request.
    private func item(
        ofChosen change: Change, in commit: Commit, _ place: VersionInPlace
    ) async throws -> VersionWriters.Item? {
        // Where the copy is back, it is the other version.
        guard let copy = commit.copy(takenBy: change), try manifest.base(copy.path) == nil else {
            return nil
        }
        var item = VersionWriters.Item(
            version: place.version, device: nil, origin: commit.sequence, content: place.content,
            isChosen: true)
        if copy.basedOn > 0, let made = try? await connected().log.read(copy.basedOn),
            made.change(of: copy.path)?.isConflictCopy == true,
            plainName(of: made.device) == conflictDevice(of: copy.path)
        {
            (item.device, item.origin) = (made.device, made.sequence)
        }
        return item
    }

    /// How many versions are followed back to the one that an undo has put in place again.
    private static let followedVersions = 8

    /// Who wrote the content that an undo has put in place again, and in which version; nil if that cannot be found. Costs a
    /// request for each version since.
    private func writer(
        before change: Change
    ) async throws -> (Device, origin: UInt64)? {
        var version = change.basedOn
        for _ in 0..<Self.followedVersions where version > 0 {
            guard let earlier = try? await connected().log.read(version),
                let known = earlier.change(of: change.path)
            else { return nil }
            if known.entry.hasSameContent(as: change.entry), !earlier.opensAgain(known) {
                return earlier.putsBack(known) ? nil : (earlier.device, earlier.sequence)
            }
            version = known.basedOn
        }
        return nil
    }
}

/// What is in place of a conflict.
private struct VersionInPlace {
    var version: UInt64
    /// Nil if it is not known, and of a conflict without a copy.
    var content: ContentID?
}

extension VersionWriters.Item {
    /// The same for a version with the same content; nil if it has another one.
    fileprivate func at(_ place: VersionInPlace) -> VersionWriters.Item? {
        guard
            place.version > 0 && place.version == version
                || content != nil && content == place.content
        else {
            return nil
        }
        return VersionWriters.Item(
            version: place.version, device: device, origin: origin, content: place.content,
            isChosen: isChosen)
    }
}

extension Change {
    /// Whether nothing was at the path before, as after a deletion and in a store that has replaced another one.
    fileprivate var isNew: Bool { basedOn == 0 && movedFrom == nil }

    /// Whether a command has brought back what was deleted.
    var isBroughtBack: Bool { isNew && [Self.restored, Self.undeleted].contains(reason) }
}

extension Commit {
    /// What it did at a path.
    func change(of path: RelativePath) -> Change? {
        changes.first { $0.path == path }
    }

    /// Whether a path is new to the store together with a conflict copy of it: the conflict is older than the store, and who has published
    /// both need not have written either.
    func hasFoundConflict(of path: RelativePath) -> Bool {
        change(of: path)?.isNew == true
            && changes.contains {
                $0.entry.kind != .tombstone && $0.basedOn == 0
                    && conflictOriginal(of: $0.path)?.path == path
            }
    }

    /// The end of the conflict copy whose content a change has put in place of its conflict; nil if it did
    /// not. The name of the copy tells the content with which it was made.
    fileprivate func copy(takenBy change: Change) -> Change? {
        guard change.entry.kind == .file else { return nil }
        return changes.first { end in
            guard end.entry.kind == .tombstone,
                let (original, digits) = conflictOriginal(of: end.path)
            else { return false }
            return original == change.path && change.entry.content.description.hasPrefix(digits)
        }
    }

    /// Whether who has published a new file need not have written it.
    fileprivate func putsBack(_ change: Change) -> Bool {
        change.isBroughtBack || hasFoundConflict(of: change.path)
    }

    /// Whether the commit has opened the conflict of a path again, which it changes: it has its copy, too.
    fileprivate func opensAgain(_ change: Change) -> Bool {
        [Change.openedAgain, Change.resolved].contains(change.reason)
            && changes.contains {
                $0.isConflictCopy && conflictOriginal(of: $0.path)?.path == change.path
            }
    }
}
