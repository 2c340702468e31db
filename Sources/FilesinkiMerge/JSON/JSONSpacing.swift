import FilesinkiText

/// The white space of a merged container: three-way, piece by piece.
///
/// Between two neighbours stays what was between them, or what one side changed it to. New
/// neighbours get what some version has beside one of them.
struct JSONSpacing {
    let layouts: [JSONLayout?]
    /// The version whose style the result has, where the sides differ in that.
    let preferred: MergeVersion?
    /// The sides whose lines are those of the result: one, where the other has no lines.
    private let sources: [MergeVersion]

    /// Whether both sides have another style than base, and than each other.
    private let isContested: Bool

    init(_ layouts: [JSONLayout?], preferred: MergeVersion?, isContested: Bool) {
        self.layouts = layouts
        self.preferred = preferred
        self.isContested = isContested
        let sources = Self.sources(layouts)
        let isEmpty = preferred.flatMap { layouts[$0.rawValue]?.children.isEmpty } ?? true
        if sources.count == 1, isContested, let preferred, !isEmpty {
            self.sources = [preferred]
        } else {
            self.sources = sources
        }
    }

    subscript(version: MergeVersion) -> JSONLayout? { layouts[version.rawValue] }

    private static func sources(_ layouts: [JSONLayout?]) -> [MergeVersion] {
        let lines = layouts.map { layout in
            layout.flatMap { $0.children.isEmpty ? nil : $0.opening.hasLine }
        }
        let (base, ours, theirs) = (lines[0], lines[1], lines[2])
        if ours == theirs { return [.ours, .theirs] }
        guard let ours else { return [.theirs] }
        guard theirs != nil else { return [.ours] }
        guard let base else { return ours ? [.ours] : [.theirs] }
        return base == ours ? [.theirs] : [.ours]
    }

    var opening: JSONPiece? { pick { $0.children.isEmpty ? nil : $0.opening } }
    var closing: JSONPiece? { pick { $0.children.isEmpty ? nil : $0.closing } }
    var empty: JSONPiece? { pick { $0.children.isEmpty ? $0.opening : nil } }

    /// What separates two neighbours; nil when no version has two children.
    func separator(after left: MergeTrio<Int>, before right: MergeTrio<Int>) -> JSONPiece? {
        let between = pick { layout, version in
            guard let from = left[version], let to = right[version], to == from + 1 else {
                return nil
            }
            return layout.separator(before: to)
        }
        if let between { return between }
        let before = pick { layout, version in
            right[version].flatMap { $0 > 0 ? layout.separator(before: $0) : nil }
        }
        if let before { return before }
        let after = pick { layout, version in
            left[version].flatMap {
                $0 + 1 < layout.children.count ? layout.separator(before: $0 + 1) : nil
            }
        }
        return after ?? pick { $0.children.count > 1 ? $0.separator(before: 1) : nil }
    }

    func colon(_ trio: MergeTrio<Int>, _ documents: [JSONDocument?]) -> JSONPiece? {
        pick(from: MergeVersion.allCases) { layout, version in
            guard let ordinal = trio[version], let document = documents[version.rawValue] else {
                return nil
            }
            return JSONLayout.colon(document, layout.children[ordinal], version)
        }
    }

    private func pick(_ piece: (JSONLayout) -> JSONPiece?) -> JSONPiece? {
        pick { layout, _ in piece(layout) }
    }

    /// The piece of the side that changed it; nil when no side has one.
    private func pick(
        from versions: [MergeVersion]? = nil, _ piece: (JSONLayout, MergeVersion) -> JSONPiece?
    ) -> JSONPiece? {
        let allowed = versions ?? sources
        func find(_ version: MergeVersion) -> JSONPiece? {
            self[version].flatMap { piece($0, version) }
        }
        let ours = allowed.contains(.ours) ? find(.ours) : nil
        let theirs = allowed.contains(.theirs) ? find(.theirs) : nil
        guard let ours, let theirs else { return ours ?? theirs }
        if ours.bytes == theirs.bytes { return preferred == .theirs ? theirs : ours }
        if !isContested, let base = find(.base) {
            if base.bytes == ours.bytes { return theirs }
            if base.bytes == theirs.bytes { return ours }
        }
        if let preferred { return preferred == .ours ? ours : theirs }
        return ours.bytes.lexicographicallyPrecedes(theirs.bytes) ? ours : theirs
    }
}

/// Bytes of one version.
struct JSONPiece {
    var bytes: ArraySlice<UInt8>
    var version: MergeVersion

    var hasLine: Bool { bytes.contains(0x0A) }
}

/// The white space of one container in one version.
struct JSONLayout {
    private let document: JSONDocument
    private let version: MergeVersion
    private let node: Int
    /// All children, also repeated ones.
    private let all: [Int]
    private(set) var children: [Int]
    /// Where the children are among all; nil where they are all.
    private var places: [Int]?

    init(_ document: JSONDocument, _ node: Int, _ children: [Int], _ version: MergeVersion) {
        self.document = document
        self.node = node
        self.children = children
        all = children
        self.version = version
    }

    private var inside: Range<Int32> {
        let range = document.nodes[node].value
        return (range.lowerBound + 1)..<(range.upperBound - 1)
    }

    private func piece(_ range: Range<Int32>) -> JSONPiece {
        JSONPiece(bytes: document.slice(range), version: version)
    }

    /// From the bracket to the first child; everything inside when there is no child.
    var opening: JSONPiece {
        guard let first = children.first else { return piece(inside) }
        return piece(inside.lowerBound..<document.nodes[first].start)
    }

    /// From the last child to the bracket; empty when there is no child.
    var closing: JSONPiece {
        let start = all.last.map { document.nodes[$0].end } ?? inside.upperBound
        return piece(start..<inside.upperBound)
    }

    /// What is before the child at an index, which is not the first: a comma and space.
    func separator(before index: Int) -> JSONPiece {
        let place = places?[index] ?? index
        return piece(document.nodes[all[place - 1]].end..<document.nodes[all[place]].start)
    }

    /// Without repeated elements.
    func distinct() -> JSONLayout {
        let numbers = JSONNumbering([document], [self]).lists[0]
        var seen: Set<Int> = []
        var result = self
        let places = children.indices.filter { seen.insert(numbers[$0]).inserted }
        result.places = places
        result.children = places.map { children[$0] }
        return result
    }

    static func colon(_ document: JSONDocument, _ node: Int, _ version: MergeVersion) -> JSONPiece {
        let member = document.nodes[node]
        return JSONPiece(
            bytes: document.slice(member.key.upperBound..<member.value.lowerBound),
            version: version)
    }
}
