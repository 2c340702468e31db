import FilesinkiModel
import FilesinkiReconcile

/// A step as a person reads it: what happens, to which path, and why.
enum StepLine {
    /// The width of the first column.
    private static let width = 14

    static func text(_ step: Step, _ style: TerminalStyle) -> String {
        let verb = step.action.verb
        let space = String(repeating: " ", count: max(1, width - verb.count))
        let source = step.origin.map { " from \($0)" } ?? ""
        return step.action.coloured(verb, style) + space + "\(step.path)\(source)  "
            + style.dim(step.reason.sentence)
    }
}

extension Action {
    /// What happens, seen from this replica.
    fileprivate var verb: String {
        switch self {
        case .agree: "agree"
        case .publish(let entry): entry.kind == .tombstone ? "delete there" : "send"
        case .take(let entry): entry.kind == .tombstone ? "delete here" : "take"
        case .both(let entry): entry.kind == .tombstone ? "delete both" : "write both"
        case .undecided: "decide"
        case .leave: "leave open"
        case .skip: "skip"
        }
    }

    fileprivate func coloured(_ verb: String, _ style: TerminalStyle) -> String {
        if entry?.kind == .tombstone { return style.red(verb) }
        switch self {
        case .publish: return style.green(verb)
        case .take: return style.blue(verb)
        case .both, .undecided, .leave: return style.yellow(verb)
        case .agree, .skip: return style.dim(verb)
        }
    }
}
