package import FilesinkiModel

/// What a step does.
package enum Action: Hashable, Sendable {
    /// Both sides are equal: only the base moves, to what is there. Nothing is written to either.
    case agree
    /// What is here goes there; a tombstone publishes a deletion.
    case publish(Entry)
    /// What is there comes here; a tombstone deletes here.
    case take(Entry)
    /// Neither side has this entry at this path: it is written here and published. A tombstone
    /// deletes on both sides.
    case both(Entry)
    /// The chain's rest, which begins with a link that needs the contents or a person. The engine
    /// answers it and calls ``settle(_:answer:remaining:input:)``.
    case undecided([StrategyLink])
    /// An open conflict: both sides stay as they are, and so does the base.
    case leave
    /// Nothing is decided, for the path cannot be seen here.
    case skip
}

extension Action {
    /// One word for a person and for JSON.
    package var word: String {
        switch self {
        case .agree: "agree"
        case .publish(let entry): entry.kind == .tombstone ? "publish-deletion" : "publish"
        case .take(let entry): entry.kind == .tombstone ? "delete" : "take"
        case .both(let entry): entry.kind == .tombstone ? "delete-both" : "write-both"
        case .undecided: "undecided"
        case .leave: "leave"
        case .skip: "skip"
        }
    }

    /// The entry that the path has on both sides afterwards; nil where the step settles nothing,
    /// and for ``agree``.
    package var entry: Entry? {
        switch self {
        case .publish(let entry), .take(let entry), .both(let entry): entry
        case .agree, .undecided, .leave, .skip: nil
        }
    }

    /// Whether the step writes to the local tree.
    package var writesOurs: Bool {
        switch self {
        case .take, .both: true
        case .agree, .publish, .undecided, .leave, .skip: false
        }
    }

    /// Whether the step writes to the remote tree.
    package var writesTheirs: Bool {
        switch self {
        case .publish, .both: true
        case .agree, .take, .undecided, .leave, .skip: false
        }
    }
}
