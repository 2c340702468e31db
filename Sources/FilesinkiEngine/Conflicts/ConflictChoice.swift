import FilesinkiModel
import FilesinkiReconcile

/// The content with which a user resolves a conflict.
package enum ConflictChoice: Sendable {
    /// The version of the device that found the conflict: see ``OpenConflict/sides``.
    case ours
    /// The committed version, or the one that has the name beside a conflict copy.
    case theirs
    /// What both sides started from.
    case base
    /// An older or newer version of the path.
    case version(UInt64)
    /// A content from elsewhere.
    case bytes([UInt8])

    /// What was chosen, as a sentence for the journal.
    func sentence(_ sides: ConflictSides) -> String {
        switch self {
        case .ours: "Took \(sides.label(.ours))."
        case .theirs where sides.isEditedHere:
            "Kept what was in place: it had been edited here after the conflict was found."
        case .theirs: "Took \(sides.label(.theirs))."
        case .base: "Took base."
        case .version(let version): "Took version \(version)."
        case .bytes: "Took a given content."
        }
    }

    var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { return bytes }
        return nil
    }
}

extension SyncOptions {
    /// Makes every conflict of the run end with one side, also where that is a deletion.
    mutating func take(_ side: Choice.Side) {
        strategy = Strategy([.choice(side == .ours ? .ours : .theirs)])
        onDelete = .ask
        ask = { _ in side == .ours ? .ours : .theirs }
    }
}

extension SyncReport {
    /// Whether the run has left a conflict open that it could not carry out a choice about.
    func leaves(_ path: RelativePath) -> Bool {
        steps.contains { step in
            guard step.path == path else { return false }
            if case .undecided = step.action { return true }
            return step.action == .leave
        }
    }
}

extension Resolution.Outcome {
    /// The content that a user chose; nil where the version is not known from here.
    var chosen: ContentID? {
        if case .merged(let entry) = self { return entry.identity }
        return nil
    }
}
