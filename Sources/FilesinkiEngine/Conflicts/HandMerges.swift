import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiManifest
import FilesinkiModel

extension Conflicts {
    /// Longer files that have changed are taken for edited without being read.
    private static let comparedSize: Int64 = 64 << 20

    /// Whether the file in place of a conflict that was found here has been edited here since, as who merges both versions
    /// by hand does: what is in place is then of neither side.
    ///
    /// - Parameters:
    ///   - row: As it was found.
    ///   - writer: The device that wrote the version in place; nil if it is not known.
    func isEditedHere(_ row: ConflictRow, _ writer: Device?) throws -> Bool {
        guard row.rule != Self.receivedRule, row.copyPath != nil,
            let found = row.theirs, found.kind == .file,
            let base = try manifest.base(row.path), base.entry.kind == .file
        else { return false }
        if writer?.id == config.device.id, !base.entry.hasSameContent(as: found) { return true }
        return try isUnsent(base, besides: found)
    }

    /// Whether a file is none of these contents: no run has published what is there now.
    private func isUnsent(_ base: BaseRow, besides found: Entry) throws -> Bool {
        guard let status = try root.status(base.path), status.kind == .file,
            !root.isLive(base.path), status.stamp != base.stamp
        else { return false }
        // A run that has not ended may have written it.
        let known = [base.entry, found].filter { $0.size == status.stamp.size }
        guard !known.isEmpty, status.stamp.size <= Self.comparedSize else { return true }
        let bytes = try root.readWhole(base.path, limit: Int(Self.comparedSize)).bytes
        let content = ContentHasher.hash(bytes)
        return !known.contains { $0.content == content }
    }
}
