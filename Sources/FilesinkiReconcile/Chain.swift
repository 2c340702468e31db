package import FilesinkiModel

/// Follows a chain up to the first link that answers or has to be asked.
///
/// - Parameter canMerge: False where only the links that choose and end count: a kind changed, or
///   something is not a file (row 21).
func follow(_ links: [StrategyLink], _ contest: Contest, canMerge: Bool) -> Decision {
    for (index, link) in links.enumerated() {
        switch link {
        case .choice(let choice):
            guard let winner = winner(by: choice, contest) else { continue }
            return .settled(winner, .strategy(choice.rawValue))
        case .end(.keepBoth): return .keepBoth(.strategy(End.keepBoth.rawValue))
        case .end(.leave): return .leave
        case .end(.ask), .command: return .undecided(Array(links[index...]))
        case .merge, .comparison, .program:
            if canMerge { return .undecided(Array(links[index...])) }
        }
    }
    return .keepBoth(.strategy(End.keepBoth.rawValue))
}

/// The side that the choice prefers, a tombstone for a deletion; nil when it declines.
private func winner(by choice: Choice, _ contest: Contest) -> Entry? {
    switch choice {
    case .ours: return contest.ours ?? .tombstone
    case .theirs: return contest.theirs ?? .tombstone
    case .newest, .oldest, .larger, .smaller: break
    }
    guard let ours = contest.ours, let theirs = contest.theirs else { return nil }
    return choice.winner(ours: ours, theirs: theirs).map { $0 == .ours ? ours : theirs }
}

extension Choice {
    /// The side of a conflict that wins.
    package enum Winner: Sendable { case ours, theirs }

    /// The side that the choice prefers; nil when it declines.
    package func winner(ours: Entry, theirs: Entry) -> Winner? {
        switch self {
        case .ours: return .ours
        case .theirs: return .theirs
        case .newest, .oldest:
            guard ours.modified != theirs.modified else { return nil }
            return (ours.modified > theirs.modified) == (self == .newest) ? .ours : .theirs
        case .larger, .smaller:
            guard ours.kind == .file, theirs.kind == .file, ours.size != theirs.size else {
                return nil
            }
            return (ours.size > theirs.size) == (self == .larger) ? .ours : .theirs
        }
    }
}
