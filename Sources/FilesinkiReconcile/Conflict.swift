package import FilesinkiModel

/// What the table cannot decide about one path: both sides changed it to different contents, or one
/// side deleted what the other has.
///
/// After a rename the versions come from different paths.
package struct Conflict: Hashable, Sendable {
    package enum Kind: Sendable {
        /// Both sides have a content, and both changed it.
        case content
        /// One side deleted what the other has.
        case deletion
        /// A directory and something else have the same name.
        case folder
    }

    /// The name that the path will have.
    package var path: RelativePath
    /// What both sides started from; nil when neither had anything.
    package var base: Entry?
    /// What this replica has; nil when it was deleted here.
    package var ours: Entry?
    /// What is committed; nil when it was deleted there.
    package var theirs: Entry?
    /// Where the content of ``ours`` is in the local tree.
    package var oursPath: RelativePath
    /// Where the remote tree has ``theirs``.
    package var theirsPath: RelativePath
    /// The base path, when the file has another name now.
    package var movedFrom: RelativePath?
    /// The links of the strategy that have not declined yet, in the order in which they are asked.
    package var links: [StrategyLink]

    /// - Parameters:
    ///   - oursPath: `path` when nil.
    ///   - theirsPath: `path` when nil.
    package init(
        path: RelativePath, base: Entry?, ours: Entry?, theirs: Entry?,
        oursPath: RelativePath? = nil, theirsPath: RelativePath? = nil,
        movedFrom: RelativePath? = nil, links: [StrategyLink] = []
    ) {
        self.path = path
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.oursPath = oursPath ?? path
        self.theirsPath = theirsPath ?? path
        self.movedFrom = movedFrom
        self.links = links
    }

    package var kind: Kind {
        guard let ours, let theirs else { return .deletion }
        return ours.kind == .directory || theirs.kind == .directory ? .folder : .content
    }

    /// Whether every version is a file: only then links that read contents are asked (row 21).
    package var isOfFiles: Bool {
        ours?.kind == .file && theirs?.kind == .file && (base?.kind ?? .file) == .file
    }
}

/// How a conflict ends, and which rule decided.
package struct Resolution: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        /// Both sides get our version, or our deletion.
        case ours
        /// Both sides get the committed version, or its deletion.
        case theirs
        /// Both sides get this entry, which was made of both versions.
        case merged(Entry)
        /// Both versions stay, under two names. Where one side deleted, the edit stays.
        case keepBoth
        /// Both sides stay as they are, and the conflict stays open.
        case leave
    }

    package var outcome: Outcome
    /// The link or the merge that decided, such as `newest` or `auto:json`.
    package var rule: String

    package init(_ outcome: Outcome, by rule: String) {
        self.outcome = outcome
        self.rule = rule
    }
}

extension Conflict {
    /// Asks the links that need the entries only, from the first link on, and removes those that
    /// decline.
    ///
    /// - Returns: Nil when the first link that is left needs the contents, a command or a person. A
    ///   chain whose links have all declined keeps both.
    package mutating func resolveByEntries() -> Resolution? {
        if kind == .folder { return .keepBoth }
        while let link = links.first {
            switch link {
            case .choice(let choice):
                if let side = side(chosenBy: choice) {
                    return Resolution(side == .ours ? .ours : .theirs, by: choice.rawValue)
                }
            case .end(.keepBoth): return .keepBoth
            case .end(.leave): return Resolution(.leave, by: End.leave.rawValue)
            case .end(.ask), .command, .device: return nil
            case .merge, .comparison, .program:
                if isOfFiles { return nil }
            }
            links.removeFirst()
        }
        return .keepBoth
    }

    /// Removes the first link, which has declined, and asks those behind it as
    /// ``resolveByEntries()`` does.
    package mutating func declineFirstLink() -> Resolution? {
        if !links.isEmpty { links.removeFirst() }
        return resolveByEntries()
    }

    private func side(chosenBy choice: Choice) -> Choice.Side? {
        switch choice {
        case .ours: return .ours
        case .theirs: return .theirs
        case .newest, .oldest, .larger, .smaller:
            guard let ours, let theirs else { return nil }
            return choice.side(ours: ours, theirs: theirs)
        }
    }

    /// The entry that a resolution gives to both sides, a tombstone for a deletion, and why; nil when
    /// both versions stay, under two names or as they are.
    func settlement(by resolution: Resolution) -> (entry: Entry, reason: Reason)? {
        switch resolution.outcome {
        case .ours: return (ours ?? .tombstone, .strategy(resolution.rule))
        case .theirs: return (theirs ?? .tombstone, .strategy(resolution.rule))
        case .merged(let entry): return (entry, .merged(resolution.rule))
        case .keepBoth:
            guard kind == .deletion else { return nil }
            return (ours ?? theirs ?? .tombstone, .editBeatsDelete)
        case .leave: return nil
        }
    }
}

extension Resolution {
    /// What a chain comes to whose links have all declined.
    package static let keepBoth = Resolution(.keepBoth, by: End.keepBoth.rawValue)
}

extension Choice {
    /// One of the two versions of a conflict.
    package enum Side: Sendable { case ours, theirs }

    /// The side that the choice prefers; nil when it declines.
    package func side(ours: Entry, theirs: Entry) -> Side? {
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
