import FilesinkiManifest
package import FilesinkiModel
package import FilesinkiReconcile

/// Who wrote the two versions of an open conflict, and which of them is this replica's.
///
/// A conflict is stored as the device that found it saw it, and its copy is synced: on another device the version
/// in place may be the one from here, or neither.
package struct ConflictSides: Hashable, Sendable {
    /// The version of this replica; nil on a device that wrote neither.
    package var here: Choice.Side?
    /// The name of the device that wrote ``OpenConflict/conflict``'s `ours`; nil if it is not known.
    package var oursDevice: String?
    /// The name of the device that wrote `theirs`; nil if it is not known.
    package var theirsDevice: String?
    /// Whether the version in place is neither of the two any more: it was edited here after the conflict had been found here.
    package var isEditedHere = false
    /// The file in place, if it was edited here and no run has sent that yet: the manifest has what was there before.
    package var unsent: UnsentFile?
    /// Whether the synced conflict copy was edited, on any device, after it had been made.
    package var isCopyEdited = false
    /// The conflict copy, if it was edited here and no run has sent that yet.
    package var unsentCopy: UnsentFile?
    /// The version in place, if it was synced after the conflict had been found: somebody has edited the file since, as who merges
    /// by hand does. ``theirsDevice`` has done that. Nil where ``isEditedHere`` says so.
    package var editedVersion: UInt64?

    /// The name of the device that wrote a version; nil if it is not known.
    package func device(_ side: Choice.Side) -> String? {
        side == .ours ? oursDevice : theirsDevice
    }

    /// What `--take` calls a version: `here` or `there`; on a third device the name of its writer.
    package func label(_ side: Choice.Side) -> String {
        if let here { return side == here ? "here" : "there" }
        switch side {
        case .ours: return oursDevice ?? "copy"
        case .theirs:
            let name = theirsDevice ?? "committed"
            return name == label(.ours) ? "committed" : name
        }
    }

    /// As ``label(_:)``, with the device, if that is known and not the label.
    package func fullLabel(_ side: Choice.Side) -> String {
        let label = label(side)
        guard let device = device(side), device != label else { return label }
        return "\(label) (\(device))"
    }

    /// The two versions, this replica's first.
    package var inOrder: [Choice.Side] { here == .theirs ? [.theirs, .ours] : [.ours, .theirs] }

    /// The version that a word names: `here`, `ours` and `mine` are this replica's, `there` and `theirs` the other
    /// one; `copy` is that of the conflict copy and `committed` that in place, unless the other one is of a device with
    /// this name; else a label, or the name of the device that wrote it.
    ///
    /// - Returns: Nil if the word names neither, or both.
    package func side(named word: String) -> Choice.Side? {
        switch word {
        case "here", "ours", "mine": return here
        case "there", "theirs": return here.map { $0 == .ours ? .theirs : .ours }
        case "copy": return theirsDevice == word ? nil : .ours
        case "committed": return oursDevice == word ? nil : .theirs
        default:
            if let side = inOrder.first(where: { label($0) == word }) { return side }
            guard oursDevice != theirsDevice else { return nil }
            return word == oursDevice ? .ours : word == theirsDevice ? .theirs : nil
        }
    }
}

/// A file in place of a conflict that was edited here, and that no run has sent yet.
package struct UnsentFile: Hashable, Sendable {
    package var stamp: FileStamp
    /// Nil for a file that is too large to be read only to be listed.
    package var content: ContentID?
}

extension OpenConflict {
    /// Where a version is in the tree; where each side has kept its own, the name that the side has it under.
    package func place(of side: Choice.Side) -> RelativePath {
        if let rename, rename.side == side { return rename.oldName }
        return side == .ours ? copy ?? path : path
    }

    /// What a version is; nil for a deletion.
    package func entry(of side: Choice.Side) -> Entry? {
        side == .ours ? conflict.ours : conflict.theirs
    }
}

extension Conflicts {
    /// The rule of a conflict that another device has found.
    static let receivedRule = "received"

    /// Which version of a conflict is whose.
    ///
    /// - Parameter writer: The device that wrote the version in place; nil if it is not known.
    func sides(of row: ConflictRow, _ writer: Device?) -> ConflictSides {
        let finder = row.copyPath.flatMap { conflictDevice(of: $0) }
        guard row.rule == Self.receivedRule else {
            // Where a folder of this replica keeps the name, the copy has the version of another device.
            if row.theirs?.kind == .directory, let finder, finder != plainName(of: config.device) {
                return ConflictSides(
                    here: .theirs, oursDevice: finder, theirsDevice: config.device.name)
            }
            return ConflictSides(
                here: .ours, oursDevice: config.device.name, theirsDevice: writer?.name)
        }
        var sides = ConflictSides(here: nil, oursDevice: finder, theirsDevice: writer?.name)
        let isOursFromHere = finder == plainName(of: config.device)
        let isTheirsFromHere = writer?.id == config.device.id
        if isOursFromHere != isTheirsFromHere {
            // A copy from here was found here, and the manifest was lost since.
            sides.here = isOursFromHere ? .ours : .theirs
        }
        // Both are from here where this device has merged by hand, and another one has undone the end of the conflict.
        return sides
    }
}
