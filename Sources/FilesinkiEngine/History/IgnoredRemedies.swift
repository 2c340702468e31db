import FilesinkiManifest
import FilesinkiModel
import FilesinkiText

/// What to do with a path that was to be brought back, and that a rule ignores here.
extension ReplicaPart {
    /// Of a folder that the store has, or had, what writes it into another folder: it has no content to be printed.
    func remedyOfIgnored(_ path: RelativePath) -> String {
        if let commit = try? lastCommit(ofFolder: path) {
            return Self.remedyOfIgnoredFolder(path, at: commit)
        }
        let name = ShellWord.path(path.bytes)
        let version = ShellWord.path(path.bytes + Array("@VERSION".utf8))
        return "If the store has it, filesinki log \(name) lists its versions, and filesinki show "
            + "\(version) prints one; see the rule with filesinki check-ignore \(name)."
    }

    /// The same of a path that is known at a point of the history.
    func remedyOfIgnored(_ path: RelativePath, _ entry: Entry, at commit: UInt64) -> String {
        entry.kind == .directory
            ? Self.remedyOfIgnoredFolder(path, at: commit) : remedyOfIgnored(path)
    }

    private static func remedyOfIgnoredFolder(_ path: RelativePath, at commit: UInt64) -> String {
        let name = ShellWord.path(path.bytes)
        return Failure.remedyElsewhere(path, version: commit)
            + ", of which filesinki log \(name) lists the versions; see the rule with filesinki check-ignore \(name)."
    }

    /// A commit that has a folder with what is in it as of the last sync, or had before it was deleted; nil for what is no folder.
    private func lastCommit(ofFolder path: RelativePath) throws -> UInt64? {
        let waiting = try
            ([manifest.remote(path)].compactMap(\.self) + manifest.remoteRows(below: path))
            .filter { $0.entry.entry.kind != .tombstone }
        let base = try [manifest.base(path)].compactMap(\.self) + manifest.baseRows(below: path)
        let isFolder =
            waiting.contains { $0.path != path || $0.entry.entry.kind == .directory }
            || base.contains { $0.path != path || $0.entry.kind == .directory }
        if isFolder { return (waiting.map(\.entry.version) + base.map(\.version)).max() }
        guard waiting.isEmpty, base.isEmpty, try !manifest.tombstones(below: path).isEmpty else {
            return nil
        }
        return try commitBeforeDeletion(of: path)
    }
}
