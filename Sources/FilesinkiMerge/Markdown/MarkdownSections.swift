/// A part of a text that begins with a heading, up to the next one; the first may have none.
struct MarkdownSection {
    /// The lines without ``gap``.
    let text: ArraySlice<UInt8>
    /// The blank lines at the end.
    let gap: ArraySlice<UInt8>
    /// How many marks the heading has; 0 without one.
    let level: Int
    /// The heading without its marks.
    let title: ArraySlice<UInt8>

    /// The sections of a text, with headings that begin with `#` outside of code.
    static func all(in bytes: [UInt8]) -> [MarkdownSection] {
        var starts = [(start: 0, level: 0, title: bytes[0..<0])]
        var fence: ArraySlice<UInt8>?
        for line in MarkdownLine.all(in: bytes) {
            let text = line.column < 4 ? line.text(bytes) : []
            let mark = text.first ?? 0
            let marks = text.prefix { $0 == mark }
            if let open = fence {
                let isClosing = marks.count >= open.count && marks.first == open.first
                if isClosing, marks.count == text.count { fence = nil }
            } else if mark == UInt8(ascii: "`") || mark == UInt8(ascii: "~"), marks.count >= 3,
                mark == UInt8(ascii: "~") || !text[marks.endIndex...].contains(mark)
            {
                fence = marks
            } else if mark == UInt8(ascii: "#"), marks.count <= 6 {
                let title = text[marks.endIndex...]
                guard title.first.map(\.isSpaceOrTab) ?? true else { continue }
                starts.append((line.start, marks.count, title.trimmed))
            }
        }
        let ends = starts.dropFirst().map(\.start) + [bytes.count]
        return zip(starts, ends).map { begin, end in
            MarkdownSection(bytes[begin.start..<end], level: begin.level, title: begin.title)
        }
    }

    private init(_ bytes: ArraySlice<UInt8>, level: Int, title: ArraySlice<UInt8>) {
        var (end, lineStart) = (bytes.startIndex, bytes.startIndex)
        while lineStart < bytes.endIndex {
            let lineEnd = bytes[lineStart...].firstIndex(of: 10).map { $0 + 1 } ?? bytes.endIndex
            if !bytes[lineStart..<lineEnd].isBlank { end = lineEnd }
            lineStart = lineEnd
        }
        text = bytes[..<end]
        gap = bytes[end...]
        self.level = level
        self.title = title
    }
}

/// Merges texts by their sections, where lines and blocks leave a conflict: sections that both sides added at one place.
///
/// They stand in the order of their headings; one that has fewer marks comes behind, as else the other one would be a part of it.
/// Headings with a digit, such as of versions and days, have an order of their own, and are declined.
struct MarkdownSectionMerge {
    /// Base, ours, theirs.
    private let versions: [[MarkdownSection]]
    /// The sections as numbers, equal ones for equal texts.
    private let numbers: [[Int]]
    private var steps: [MergeTrace.Step] = []

    private typealias Place = (version: Int, ordinal: Int)

    /// - Returns: nil for texts in which a section is there twice, or of which one has no line end at its end.
    init?(base: [UInt8], ours: [UInt8], theirs: [UInt8]) {
        let texts = [base, ours, theirs]
        guard texts.allSatisfy({ $0.last == 10 }) else { return nil }
        versions = texts.map(MarkdownSection.all)
        var known = ByteNumbers(capacity: versions[0].count)
        numbers = versions.map { sections in sections.map { known.number(of: Array($0.text)) } }
        guard numbers.allSatisfy({ Set($0).count == $0.count }) else { return nil }
    }

    /// The merged text; nil to decline.
    mutating func merged(_ trace: MergeTrace?) -> [UInt8]? {
        var places: [Place] = []
        for group in SequenceMerge.groups(base: numbers[0], ours: numbers[1], theirs: numbers[2]) {
            guard let part = self.places(of: group) else { return nil }
            places += part
        }
        let found = places.map { numbers[$0.version][$0.ordinal] }
        guard Set(found).count == found.count, let text = text(places) else { return nil }
        trace?.add(steps)
        return text
    }

    private mutating func places(of group: SequenceMerge.Group) -> [Place]? {
        let ours = group.ours.map { Place(1, $0) }
        let theirs = group.theirs.map { Place(2, $0) }
        switch group.change {
        case _ where numbers[1][group.ours] == numbers[2][group.theirs]: return ours
        case .ours:
            note(ours, .ours, group)
            return ours
        case .theirs:
            note(theirs, .theirs, group)
            return theirs
        case .both where group.base.isEmpty:
            note(ours, .ours, group)
            note(theirs, .theirs, group)
            return ordered(ours, theirs)
        case .both, .none, .unclear: return nil
        }
    }

    /// What both sides added at one place; nil where nothing tells which comes first.
    private func ordered(_ ours: [Place], _ theirs: [Place]) -> [Place]? {
        let added = (ours + theirs).map(section)
        let titles = added.map { Array($0.title) }
        guard let our = ours.first.map(section), let their = theirs.first.map(section),
            Set(titles).count == titles.count,
            !titles.contains(where: { $0.contains { 0x30...0x39 ~= $0 } })
        else { return nil }
        func canFollow(_ first: MarkdownSection, _ others: [Place]) -> Bool {
            others.allSatisfy { first.level <= section($0).level }
        }
        switch (canFollow(their, ours), canFollow(our, theirs)) {
        case (true, false): return ours + theirs
        case (false, true): return theirs + ours
        case (true, true):
            return our.title.lexicographicallyPrecedes(their.title) ? ours + theirs : theirs + ours
        case (false, false): return nil
        }
    }

    private func section(_ place: Place) -> MarkdownSection {
        versions[place.version][place.ordinal]
    }

    private func text(_ places: [Place]) -> [UInt8]? {
        var result: [UInt8] = []
        for (index, place) in places.enumerated() {
            guard let gap = gap(place, isLast: index == places.count - 1) else { return nil }
            result += section(place).text + gap
        }
        return result
    }

    /// The blank lines behind a section: those of the side that changed them.
    private func gap(_ place: Place, isLast: Bool) -> ArraySlice<UInt8>? {
        let number = numbers[place.version][place.ordinal]
        let gaps = (0..<3).map { version in
            numbers[version].firstIndex(of: number).map { versions[version][$0].gap }
        }
        let known = gaps.compactMap(\.self)
        let merged =
            gaps[1] == gaps[2] || gaps[2] == gaps[0] || gaps[2] == nil
            ? gaps[1] : gaps[1] == gaps[0] || gaps[1] == nil ? gaps[2] : nil
        guard let gap = merged ?? known.max(by: Self.isLess) else { return nil }
        guard gap.isEmpty, !isLast else { return gap }
        // It was the last one there: as many blank lines as above it.
        let others = known.filter { !$0.isEmpty }
        if let other = others.first { return other }
        return place.ordinal > 0 ? versions[place.version][place.ordinal - 1].gap : gap
    }

    private static func isLess(_ gap: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        gap.count == other.count ? gap.lexicographicallyPrecedes(other) : gap.count < other.count
    }

    private mutating func note(
        _ places: [Place], _ side: MergeTrace.Source, _ group: SequenceMerge.Group
    ) {
        let removed = group.base.map { Place(0, $0) }
        steps += (places.isEmpty ? removed : places).map { place in
            MergeTrace.Step(
                String(decoding: section(place).title, as: UTF8.self), side,
                places.isEmpty ? .removed : removed.isEmpty ? .added : .edited)
        }
    }
}
