import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel

extension Conflicts {
    /// Longer files that have changed are taken for edited without being read.
    private static let comparedSize: Int64 = 64 << 20

    /// Finds whether the file in place of a conflict that was found here has been edited here since, as who merges both
    /// versions by hand does: what is in place is then of neither side.
    ///
    /// - Parameters:
    ///   - row: As it was found.
    ///   - writer: The device that wrote the version in place; nil if it is not known.
    func findEdit(
        of row: ConflictRow, _ writer: Device?, _ sides: inout ConflictSides
    ) throws {
        guard row.rule != Self.receivedRule, row.copyPath != nil,
            let found = row.theirs, found.kind == .file,
            let base = try manifest.base(row.path), base.entry.kind == .file
        else { return }
        sides.unsent = try unsent(base, besides: found)
        sides.isEditedHere =
            sides.unsent != nil
            || writer?.id == config.device.id && !base.entry.hasSameContent(as: found)
    }

    /// A file that is none of these contents: no run has published what is there now.
    private func unsent(_ base: BaseRow, besides found: Entry) throws -> FileStamp? {
        guard let status = try root.status(base.path), status.kind == .file,
            !root.isLive(base.path), status.stamp != base.stamp
        else { return nil }
        // A run that has not ended may have written it.
        let known = [base.entry, found].filter { $0.size == status.stamp.size }
        guard !known.isEmpty, status.stamp.size <= Self.comparedSize else {
            return status.stamp
        }
        let content = try root.content(of: base.path)
        return known.contains { $0.content == content } ? nil : status.stamp
    }
}
