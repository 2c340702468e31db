import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// What is changed here and not yet sent, as `status` shows it: how much, how much of it is deleted, and with `-v` each path.
struct UnsentText {
    private let changes: [RelativePath: UnsentChange]

    /// What a run has recorded and could not send, and what the next one would find.
    ///
    /// - Parameter local: Nil if that is not known.
    init(_ status: StatusReport, _ local: LocalState?) {
        changes = status.pendingKinds.merging(local?.changes ?? [:]) { $1 }
    }

    /// In no order.
    var paths: [RelativePath] { Array(changes.keys) }

    /// Whether anything that has a content waits.
    var hasContents: Bool { changes.values.contains { $0 != .deleted } }

    /// What is changed in one way, in path order.
    func paths(_ change: UnsentChange) -> [RelativePath] {
        changes.filter { $0.value == change }.keys.sorted()
    }

    /// `changed here, 31 of them deleted, not yet sent`
    var title: String {
        let deleted = changes.values.count { $0 == .deleted }
        if deleted == 0 { return "changed here, not yet sent" }
        if deleted == changes.count { return "deleted here, not yet sent" }
        return "changed here, \(CountText.text(deleted)) of them deleted, not yet sent"
    }

    /// The title, and a line for each path; nothing for no change. Each in the parts between which it may be broken.
    var lines: [(parts: [String], separator: String)] {
        guard !changes.isEmpty else { return [] }
        return [(["\(CountText.text(changes.count)) \(title):"], "")]
            + changes.sorted { $0.key < $1.key }
            .map { (["  \(Self.word(of: $0.value))  \($0.key)"], "") }
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
