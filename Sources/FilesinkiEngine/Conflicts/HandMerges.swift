import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

extension Conflicts {
    /// Longer files that have changed are taken for edited without being read.
    private static let comparedSize: Int64 = 64 << 20

    /// Finds whether the file in place of a conflict has been edited here since the conflict was found, as who merges both
    /// versions by hand does.
    ///
    /// Where this device found the conflict, what is in place is then of neither side. Elsewhere it is the version from here,
    /// as it will be when a run has sent it.
    ///
    /// - Parameters:
    ///   - row: As it was found.
    ///   - writer: The device that wrote the version in place; nil if it is not known.
    ///   - reopened: The writers at the conflicts that an undo has opened again: what was in place is a version as it was found.
    func findEdit(
        of row: ConflictRow, _ writer: Device?, _ reopened: LastResolves,
        _ sides: inout ConflictSides
    ) throws {
        try findCopyEdit(of: row, &sides)
        guard row.copyPath != nil, let found = row.theirs, found.kind == .file,
            let base = try manifest.base(row.path), base.entry.kind == .file
        else { return }
        sides.unsent = try unsent(base, besides: found)
        if row.rule != Self.receivedRule {
            let isReopened = reopened.writer(of: row)?.id == config.device.id
            sides.isEditedHere =
                sides.unsent != nil
                || writer?.id == config.device.id
                    && (isReopened || !base.entry.hasSameContent(as: found))
        } else if sides.unsent != nil, sides.here == .ours {
            sides.isEditedHere = true
        } else if sides.unsent != nil {
            (sides.here, sides.theirsDevice) = (.theirs, config.device.name)
        }
    }

    /// Finds whether the file in place of a conflict has been edited, and synced, since the conflict was found. The device that
    /// found it knows what was in place; any other one, which version came later than the conflict copy.
    ///
    /// - Parameter row: As in ``findEdit(of:_:_:_:)``, which has found the unsynced edits.
    func findSyncedEdit(
        of row: ConflictRow, _ writers: VersionWriters, _ sides: inout ConflictSides
    ) throws {
        guard !sides.isEditedHere, let copy = row.copyPath, let found = row.theirs,
            found.kind == .file, let base = try manifest.base(row.path), base.entry.kind == .file,
            !writers.isChosen(base.version, at: row.path)
        else { return }
        if row.rule == Self.receivedRule {
            let made = try writers.copies[copy] ?? versionMade(of: copy)
            let origin = writers.origin(of: base.version, at: row.path)
            guard let made, origin > made else { return }
        } else {
            // A run that has not ended yet: the manifest has what was there before.
            let isKnown = [found, row.base].contains { $0?.hasSameContent(as: base.entry) == true }
            if isKnown { return }
        }
        sides.editedVersion = base.version
    }

    /// The content of the file in place of a conflict as it is now; nil if it is no file. Of a live database the one that a run
    /// has last seen.
    func contentInPlace(of path: RelativePath) throws -> ContentID? {
        guard let status = try root.status(path), status.kind == .file else { return nil }
        if let base = try manifest.base(path), base.stamp == status.stamp || root.isLive(path) {
            return base.entry.content
        }
        return try root.content(of: path)
    }

    /// A conflict; of one without a copy, the version from here is the file as it is now.
    func withOursNow(_ row: ConflictRow, _ renames: LeftRenames) throws -> ConflictRow {
        guard row.copyPath == nil, var ours = row.ours, ours.kind == .file else { return row }
        let place = renames.place(of: .ours, in: row)
        guard !root.isLive(place), let status = try root.status(place), status.kind == .file,
            status.stamp.size <= Self.comparedSize,
            let content = try contentInPlace(of: place), content != ours.content
        else { return row }
        ours.content = content
        (ours.size, ours.modified) = (status.stamp.size, status.stamp.modified)
        var row = row
        row.ours = ours
        return row
    }

    /// A file that is none of these contents: no run has published what is there now.
    func unsent(_ base: BaseRow, besides found: Entry) throws -> UnsentFile? {
        guard let status = try root.status(base.path), status.kind == .file,
            !root.isLive(base.path), status.stamp != base.stamp
        else { return nil }
        guard status.stamp.size <= Self.comparedSize else {
            return UnsentFile(stamp: status.stamp)
        }
        let content = try root.content(of: base.path)
        // A run that has not ended may have written it.
        let isKnown = [base.entry, found].contains { $0.content == content }
        return isKnown ? nil : UnsentFile(stamp: status.stamp, content: content)
    }
}
