import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// What is changed here and not yet sent, as `status` shows it: how much, how much of it is deleted or renamed, and with `-v`
/// each path. What was renamed is shown by its new name only, as `sync -n` has it.
struct UnsentText {
    private let changes: [RelativePath: UnsentChange]
    /// By the new names.
    private let origins: [RelativePath: UnsentRenames.Origin]
    /// What of it a run has recorded and could not send.
    let pending: [RelativePath]

    /// What a run has recorded and could not send, and what the next one would find.
    ///
    /// - Parameter local: Nil if that is not known.
    init(_ status: StatusReport, _ local: LocalState?) {
        let renames = local?.renames ?? status.pendingRenames
        origins = renames.origins
        let ended = local?.ended ?? []
        let unsent = status.pendingKinds.filter { !ended.contains($0.key) }
            .merging(local?.changes ?? [:]) { $1 }
            .filter { $0.value != .deleted || !renames.formerNames.contains($0.key) }
        changes = unsent
        pending = status.pending.filter { unsent[$0] != nil }
    }

    /// In no order.
    var paths: [RelativePath] { Array(changes.keys) }

    /// Whether anything that has a content waits.
    var hasContents: Bool { changes.values.contains { $0 != .deleted } }

    /// What is changed in one way, in path order, without what was renamed.
    func paths(_ change: UnsentChange) -> [RelativePath] {
        changes.filter { $0.value == change && origins[$0.key] == nil }.keys.sorted()
    }

    /// Both names of what was renamed, and whether it was edited, too, as `log` has them.
    var renames: [JSONObject] {
        origins.sorted { $0.key < $1.key }.map { path, origin in
            var object: JSONObject = [:]
            object.add("path", path)
            object.add("moved_from", origin.path)
            if origin.isEdited { object.add("edited", true) }
            return object
        }
    }

    /// `changed here, 31 of them deleted and 2 renamed, not yet sent`
    var title: String {
        let deleted = changes.values.count { $0 == .deleted }
        let renamed = origins.values.count { !$0.isEdited }
        if deleted == changes.count, deleted > 0 { return "deleted here, not yet sent" }
        if renamed == changes.count, renamed > 0 { return "renamed here, not yet sent" }
        let kinds = [(deleted, "deleted"), (renamed, "renamed")].filter { $0.0 > 0 }
        guard let first = kinds.first else { return "changed here, not yet sent" }
        let others = kinds.dropFirst().map { " and \(CountText.text($0.0)) \($0.1)" }.joined()
        return "changed here, \(CountText.text(first.0)) of them \(first.1)\(others), not yet sent"
    }

    /// The title, and a line for each path; nothing for no change. Each in the parts between which it may be broken.
    var lines: [(parts: [String], separator: String)] {
        guard !changes.isEmpty else { return [] }
        return [(["\(CountText.text(changes.count)) \(title):"], "")]
            + changes.sorted { $0.key < $1.key }.map { (parts($0.key, $0.value), "  ") }
    }

    /// `renamed  new`, `from old`
    private func parts(_ path: RelativePath, _ change: UnsentChange) -> [String] {
        guard let origin = origins[path] else { return ["  \(Self.word(of: change))  \(path)"] }
        return origin.isEdited
            ? ["  changed  \(path)", "edited, and renamed from \(origin.path)"]
            : ["  renamed  \(path)", "from \(origin.path)"]
    }

    /// In one width.
    private static func word(of change: UnsentChange) -> String {
        switch change {
        case .new: "new    "
        case .edited: "changed"
        case .deleted: "deleted"
        }
    }
}

extension LocalState {
    /// The paths of the changes, in path order; of what was renamed the new name only.
    var changedOnce: [RelativePath] { changed.filter { !renames.formerNames.contains($0) } }
}
