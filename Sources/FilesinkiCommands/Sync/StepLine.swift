import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// A step of a run as a person reads it, in columns: which way, what happened, the path, and more.
struct StepLine {
    /// `sent`, `received`, `conflict`, …
    var direction: String
    /// `new`, `edited`, `merged`, …; empty for a conflict copy that was made.
    var change: String
    var path: String
    /// A size, another name, or a reason, in pieces that are not broken; may be empty.
    var details: [String]
    private let action: Action
    /// The pieces in a line.
    var detail: String { details.joined(separator: " ") }

    /// The widths of the first two columns.
    private static let widths = (10, 11)
    /// The path's column is as wide as the longest path, but no wider than this.
    private static let widestPath = 40

    /// - Parameters:
    ///   - copies: The conflict copies of the run, by the paths that they are copies of.
    ///   - isPlan: Whether the step is planned and was not carried out.
    init(_ step: Step, copies: [RelativePath: Step], isPlan: Bool) {
        action = step.action
        path = "\(step.path)"
        if let copy = copies[step.path], !step.isConflictCopy {
            direction = "conflict"
            change = ""
            let isOurs = copy.origin != nil || !copy.isConflictCopy
            let owner = isOurs ? "yours" : "the other version"
            details = ["both sides changed it;", "\(owner) is in \"\(copy.path)\""]
        } else {
            direction = step.direction(isPlan: isPlan)
            change = step.change
            details = step.detail.isEmpty ? [] : [step.detail]
        }
    }

    /// A line for many steps that are like one of them.
    init(like step: Step, path: String, details: [String], isPlan: Bool) {
        action = step.action
        direction = step.direction(isPlan: isPlan)
        change = step.change
        self.path = path
        self.details = details
    }

    /// The lines of some steps, aligned. A detail that has no room behind the path stands below it.
    ///
    /// - Parameter columns: The columns of a line; nil for lines that are not broken.
    static func texts(
        _ lines: [StepLine], within columns: Int?, _ style: TerminalStyle
    ) -> [String] {
        let width = min(widestPath, lines.map(\.path.count).max() ?? 0)
        return lines.flatMap { $0.texts(pathWidth: width, within: columns, style) }
    }

    /// The first two columns of a line.
    ///
    /// - Parameter coloured: Returns the first one with its colour.
    static func head(
        _ direction: String, _ change: String, _ coloured: (String) -> String = { $0 }
    ) -> String {
        "  " + coloured(TextTable.padded(direction, widths.0))
            + TextTable.padded(change, widths.1)
    }

    private func texts(
        pathWidth: Int, within columns: Int?, _ style: TerminalStyle
    ) -> [String] {
        let head = Self.head(direction, change) { action.coloured($0, style) }
        guard !details.isEmpty else { return [head + path] }
        let padded = TextTable.padded(path, pathWidth)
        let before = 2 + Self.widths.0 + Self.widths.1
        // A path that has no room itself goes on in the next line, and so does what is behind it.
        guard let columns, before + padded.count + 2 + detail.count > columns,
            before + path.count <= columns || details.count > 1
        else {
            return [head + padded + "  " + style.dim(detail)]
        }
        // A name is in one piece, so that it can be copied.
        let below = FlowText.lines(details, separator: " ", indent: "", within: columns - 4)
        return [head + path] + below.map { "    " + style.dim($0) }
    }
}

extension Step {
    /// Whether one side has the base's content, as after a deletion that was undone there: versions count.
    private var isOneSided: Bool {
        guard let base = base?.entry, let ours, let theirs = theirs?.entry else { return false }
        return ours.hasSameContent(as: base) || theirs.hasSameContent(as: base)
    }

    /// What happened to the path, in a word.
    fileprivate var change: String {
        switch (reason, action) {
        case (.holdsBlocked, .take), (.holdsIgnored, .take): "kept"
        case (.edit, .both) where mergedMode != nil: "merged"
        default: reason.change
        }
    }

    /// What is worth a word beside the path: a file's size, the other name of a rename, or the reason.
    fileprivate var detail: String {
        switch reason {
        case .edit: mergedMode ?? content
        case .created, .metadata: content
        case .deleted: ""
        case .renamed(let path): "from \(path)\(changedMode)"
        case .moved(let path): "to \(path)"
        case .merged: isOneSided ? "only one side edited it" : "both edits kept"
        default: explanation
        }
    }

    /// Who did what where one side edited a file, and the other one gave it another mode; nil for any other step.
    var mergedMode: String? {
        guard reason == .edit, case .both(let entry) = action, entry.kind == .file, let ours,
            let theirs = theirs?.entry, ours.mode != theirs.mode
        else { return nil }
        switch (ours.hasSameContent(as: entry), theirs.hasSameContent(as: entry)) {
        case (true, false): return "edited here, mode changed there"
        case (false, true): return "edited there, mode changed here"
        default: return nil
        }
    }

    /// `, mode 644 -> 755` of a renamed file that also got another mode.
    private var changedMode: String {
        guard let modeBefore, let entry = action.entry else { return "" }
        return ", mode \(String(modeBefore, radix: 8)) -> \(String(entry.mode, radix: 8))"
    }

    private var content: String {
        guard let entry = action.entry else { return "" }
        switch entry.kind {
        case .file: return SizeText.text(entry.size)
        case .directory: return "folder"
        case .symlink: return "symlink to \(printable(entry.target))"
        case .tombstone: return ""
        }
    }
}

extension Reason {
    /// What happened to a path, in a word.
    var change: String {
        switch self {
        case .edit, .renamedAndEdited: "edited"
        case .created: "new"
        case .deleted, .deleteBeatsEdit, .staleCopy: "deleted"
        case .equal: "same"
        case .metadata, .laterTime, .committedMode: "mode/time"
        case .strategy: "resolved"
        case .merged: "merged"
        case .editBeatsDelete, .folderKeepsName, .holdsSurvivor: "kept"
        case .renamed, .moved, .bothNames, .otherName: "renamed"
        case .conflictCopy: "copy"
        case .asks, .open: "open"
        case .blocked, .ignored, .ignoredUntilNow, .excluded, .holdsBlocked, .holdsIgnored: ""
        }
    }
}

extension Step {
    /// Which way something goes, seen from this replica.
    func direction(isPlan: Bool) -> String {
        sendsUnderOtherName ? (isPlan ? "send" : "sent") : action.direction(isPlan: isPlan)
    }
}

extension Action {
    fileprivate func direction(isPlan: Bool) -> String {
        switch self {
        case .agree: "agree"
        case .publish: isPlan ? "send" : "sent"
        case .take: isPlan ? "receive" : "received"
        case .both(let entry):
            if entry.kind == .tombstone { "both" } else { isPlan ? "receive" : "received" }
        case .undecided, .leave: "conflict"
        case .skip: "skipped"
        }
    }

    fileprivate func coloured(_ text: String, _ style: TerminalStyle) -> String {
        if entry?.kind == .tombstone { return style.red(text) }
        switch self {
        case .publish: return style.green(text)
        case .take: return style.blue(text)
        case .both, .undecided, .leave: return style.yellow(text)
        case .agree, .skip: return style.dim(text)
        }
    }
}
