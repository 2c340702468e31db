import FilesinkiHashing
import FilesinkiModel
import FilesinkiStore

/// What the next run could not know when this one is killed, or when the manifest is lost: the
/// commits of this replica, noted before they are published, and how far its base reached.
///
/// A run that is killed after its commit came into the log, and before the manifest has recorded it,
/// leaves a base that is older than what this replica itself has published. The note names the
/// commit, so that the next run takes it for what it is: the state that edits made here since are
/// based on. A commit of this device that the note does not name is another replica's: a copy of
/// this one.
///
/// It is not synced to the disk, for a power cut that loses it loses no content: the edits then meet
/// their own commit as a conflict.
struct PublishingNote: Equatable {
    /// How far the base reached: it was the remote tree after this commit, except for some paths.
    struct Position: Equatable {
        var token: ChangeToken
        /// Paths on which the remote tree and the base differed.
        var open: [RelativePath]
    }

    var position: Position?
    /// The commits since the position, the oldest first.
    private(set) var items: [OwnCommit] = []

    /// So many commits are kept; more come together only where the position cannot move.
    static let maximumItems = 256
    /// A position with more open paths than this is not noted.
    static let maximumOpen = 200

    init() {}

    mutating func add(_ item: OwnCommit) {
        items.append(item)
        if items.count > Self.maximumItems {
            items.removeFirst(items.count - Self.maximumItems)
        }
    }

    /// Notes how far the base reaches now.
    mutating func move(to position: Position) {
        self.position = position
        items.removeAll { $0.sequence <= position.token.sequence }
    }

    /// Whether the note already says what it would say of a later position: since its own there are
    /// only commits of this replica.
    func covers(_ position: Position) -> Bool {
        guard let known = self.position, known.open == position.open,
            known.token.sequence <= position.token.sequence
        else { return false }
        let own = Set(items.filter(\.isApplied).map(\.sequence))
        let (begin, end) = (known.token.sequence, position.token.sequence)
        guard end - begin <= UInt64(own.count) else { return false }
        return begin == end || ((begin + 1)...end).allSatisfy(own.contains)
    }

    /// Whether the note names this commit.
    func names(_ sequence: UInt64, _ id: [UInt8]) -> Bool {
        items.contains { $0.sequence == sequence && $0.id == id }
    }
}

extension PublishingNote {
    /// The word behind a commit whose entries were not in the tree.
    private static let apart = "apart"

    /// Reads a note. Skips malformed lines; a position with another number of open paths than it
    /// says is none.
    init(_ bytes: [UInt8]) {
        var position: Position?
        var count = 0
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.first == "base", words.count == 4, let sequence = UInt64(words[1]),
                let hash = FilesinkiModel.bytes(hexadecimal: words[2]).flatMap(ContentID.init),
                let open = Int(words[3])
            {
                count = open
                position = Position(
                    token: ChangeToken(sequence: sequence, hash: hash), open: [])
            } else if words.first == "open", words.count == 2,
                let path = FilesinkiModel.bytes(hexadecimal: words[1])
            {
                position?.open.append(RelativePath(unchecked: path))
            } else if (2...3).contains(words.count), let sequence = UInt64(words[0]),
                let id = FilesinkiModel.bytes(hexadecimal: words[1]), id.count == 16
            {
                items.append(
                    OwnCommit(sequence: sequence, id: id, isApplied: words.count == 2))
            }
        }
        if position?.open.count == count { self.position = position }
    }

    /// A line for the position and each of its open paths, then one for each commit.
    var bytes: [UInt8] {
        var lines: [String] = []
        if let position {
            let token = position.token
            lines.append("base \(token.sequence) \(token.hash) \(position.open.count)")
            lines += position.open.map { "open \(hexadecimal($0.bytes))" }
        }
        lines += items.map {
            "\($0.sequence) \(hexadecimal($0.id))" + ($0.isApplied ? "" : " \(Self.apart)")
        }
        return Array(lines.map { $0 + "\n" }.joined().utf8)
    }
}
