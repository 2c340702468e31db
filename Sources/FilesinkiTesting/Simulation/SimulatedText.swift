import FilesinkiModel

/// A text of lines, or a JSON object with one member in each line, which users edit unit by unit.
///
/// A unit is a line or a member. No two writes of a history make the same unit, so that each can be followed
/// through merges.
struct SimulatedText: Equatable {
    /// The lines, without their ends, or the members, without commas and indentation.
    var units: [String]
    let isDocument: Bool

    private static let maximumSize = 10_000
    /// So many units a user leaves in a text: a merge of two removals is hardly ever empty.
    private static let leastUnits = 3

    /// The text that a user begins at a path.
    init(serial: Int, at path: String) {
        isDocument = path.hasSuffix(".json")
        units = (0..<(isDocument ? 6 : 9)).map { [isDocument] number in
            isDocument ? "\"k\(number)\": \"\(serial).\(number)\"" : "line \(serial).\(number)"
        }
    }

    /// - Returns: Nil for what is no text with a line end at its end.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.maximumSize, bytes.last == UInt8(ascii: "\n"),
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        lines.removeLast()
        isDocument = lines.first == "{"
        // A merge by lines can put members into a text.
        let outer: Set<String> = ["{", "}", ""]
        units = lines.map(Self.member).filter { !outer.contains($0) }
    }

    private static func member(_ line: String) -> String {
        var line = line.drop { $0 == " " }
        if line.last == "," { line.removeLast() }
        return String(line)
    }

    var bytes: [UInt8] {
        guard isDocument else { return Array(units.map { $0 + "\n" }.joined().utf8) }
        return Array("{\n\(units.map { "  " + $0 }.joined(separator: ",\n"))\n}\n".utf8)
    }

    /// Applies a user's edit.
    mutating func apply(_ edit: UserAction.Edit) {
        switch edit {
        case .add(let place, let serial):
            let unit = isDocument ? "\"n\(serial)\": \"\(serial)\"" : "line \(serial)"
            units.insert(unit, at: place % (units.count + 1))
        case .change(let place, let serial):
            guard !units.isEmpty else { return }
            let index = place % units.count
            let key = units[index].prefix { $0 != ":" }
            units[index] = isDocument ? "\(key): \"\(serial)\"" : "line \(serial)"
        case .remove(let place):
            if units.count > Self.leastUnits { units.remove(at: place % units.count) }
        }
    }

    /// Whether the text can be a merge of what users wrote: nothing is empty or twice.
    var isWhole: Bool {
        !units.isEmpty && Set(units).count == units.count
    }

    /// Whether no member is there twice. A merge by lines can leave both versions of one.
    fileprivate var hasDistinctMembers: Bool { !isDocument || members.count == units.count }

    /// The units by the names of their members.
    fileprivate var members: [Substring: String] {
        Dictionary(units.map { ($0.prefix { $0 != ":" }, $0) }) { $1 }
    }
}

/// What a merge of two edited texts has to come to.
enum ExpectedMerge: Equatable {
    /// These units, for a text in this order.
    case merged([String])
    case conflict

    /// - Returns: Nil where both sides have made the same change, which is not decided here.
    init?(base: SimulatedText, ours: SimulatedText, theirs: SimulatedText) {
        guard base.isDocument == ours.isDocument, base.isDocument == theirs.isDocument,
            [base, ours, theirs].allSatisfy({ $0.isWhole && $0.hasDistinctMembers })
        else { return nil }
        guard !base.isDocument else {
            self = Self.members(base.members, ours.members, theirs.members)
            return
        }
        guard let here = TextHunk.all(base.units, ours.units),
            let there = TextHunk.all(base.units, theirs.units),
            Set(here.flatMap(\.lines)).isDisjoint(with: there.flatMap(\.lines))
        else { return nil }
        // What both have removed git may find to be one change.
        let removed = Set(here.flatMap(\.range))
        guard removed.isDisjoint(with: there.flatMap(\.range)) else { return nil }
        if here.contains(where: { hunk in there.contains(where: hunk.touches) }) {
            self = .conflict
            return
        }
        var units = base.units
        for hunk in (here + there).sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            units.replaceSubrange(hunk.range, with: hunk.lines)
        }
        self = .merged(units)
    }

    private static func members(
        _ base: [Substring: String], _ ours: [Substring: String], _ theirs: [Substring: String]
    ) -> ExpectedMerge {
        var units: [String] = []
        for key in Set(base.keys).union(ours.keys).union(theirs.keys) {
            let (old, here, there) = (base[key], ours[key], theirs[key])
            if old != here, old != there, here != there { return .conflict }
            let unit = old == here ? there : here
            if let unit { units.append(unit) }
        }
        return .merged(units)
    }
}

/// Lines of a base that one side has replaced by others.
private struct TextHunk {
    var range: Range<Int>
    var lines: [String]

    /// Whether no common line is between the two.
    func touches(_ other: TextHunk) -> Bool {
        range.lowerBound <= other.range.upperBound && other.range.lowerBound <= range.upperBound
    }

    /// The changes of a side; nil if it has lines in another order.
    static func all(_ base: [String], _ side: [String]) -> [TextHunk]? {
        let places = Dictionary(base.enumerated().map { ($1, $0) }) { first, _ in first }
        var hunks: [TextHunk] = []
        var (next, lines) = (0, [String]())
        for line in side {
            guard let place = places[line] else {
                lines.append(line)
                continue
            }
            guard place >= next else { return nil }
            if place > next || !lines.isEmpty {
                hunks.append(TextHunk(range: next..<place, lines: lines))
            }
            (next, lines) = (place + 1, [])
        }
        if next < base.count || !lines.isEmpty {
            hunks.append(TextHunk(range: next..<base.count, lines: lines))
        }
        return hunks
    }
}
