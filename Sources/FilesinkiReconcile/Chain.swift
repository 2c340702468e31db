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
    case .here: return contest.here ?? .tombstone
    case .there: return contest.there ?? .tombstone
    case .newest, .oldest, .larger, .smaller: break
    }
    guard let here = contest.here, let there = contest.there else { return nil }
    return choice.winner(here: here, there: there).map { $0 == .here ? here : there }
}

extension Choice {
    /// The side of a conflict that wins.
    package enum Winner: Sendable { case here, there }

    /// The side that the choice prefers; nil when it declines.
    package func winner(here: Entry, there: Entry) -> Winner? {
        switch self {
        case .here: return .here
        case .there: return .there
        case .newest, .oldest:
            guard here.modified != there.modified else { return nil }
            return (here.modified > there.modified) == (self == .newest) ? .here : .there
        case .larger, .smaller:
            guard here.kind == .file, there.kind == .file, here.size != there.size else {
                return nil
            }
            return (here.size > there.size) == (self == .larger) ? .here : .there
        }
    }
}
