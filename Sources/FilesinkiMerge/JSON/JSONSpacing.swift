/// The white space of a merged container: three-way, piece by piece.
///
/// Between two that were neighbours stays what was between them, or becomes what one side made of
/// it. Neighbours that are new to each other get what some version has beside one of them.
struct JSONSpacing {
    let layouts: [JSONLayout?]
    /// The version whose style the result has, where the sides differ in that.
    let preferred: JSONVersion?
    /// The sides whose lines are those of the result: one, where the other has no lines.
    private let sources: [JSONVersion]

    /// Whether both sides have another style than base, and than each other.
    private let isContested: Bool

    init(_ layouts: [JSONLayout?], preferred: JSONVersion?, isContested: Bool) {
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

    subscript(version: JSONVersion) -> JSONLayout? { layouts[version.rawValue] }

    private static func sources(_ layouts: [JSONLayout?]) -> [JSONVersion] {
        let lines = layouts.map { layout in
            layout.flatMap { $0.children.isEmpty ? nil : $0.opening.hasLine }
        }
        let (base, here, there) = (lines[0], lines[1], lines[2])
        if here == there { return [.here, .there] }
        guard let here else { return [.there] }
        guard there != nil else { return [.here] }
        guard let base else { return here ? [.here] : [.there] }
        return base == here ? [.there] : [.here]
    }

    var opening: JSONPiece? { pick { $0.children.isEmpty ? nil : $0.opening } }
    var closing: JSONPiece? { pick { $0.children.isEmpty ? nil : $0.closing } }
    var empty: JSONPiece? { pick { $0.children.isEmpty ? $0.opening : nil } }

    /// What goes between two that become neighbours; nil where no version has two of anything.
    func separator(after left: JSONTrio, before right: JSONTrio) -> JSONPiece? {
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

    func colon(_ trio: JSONTrio, _ documents: [JSONDocument?]) -> JSONPiece? {
        pick(from: JSONVersion.allCases) { layout, version in
            guard let ordinal = trio[version], let document = documents[version.rawValue] else {
                return nil
            }
            return JSONLayout.colon(document, layout.children[ordinal], version)
        }
    }

    private func pick(_ piece: (JSONLayout) -> JSONPiece?) -> JSONPiece? {
        pick { layout, _ in piece(layout) }
    }

    /// The piece of the side that changed it; nil where no side has one.
    private func pick(
        from versions: [JSONVersion]? = nil, _ piece: (JSONLayout, JSONVersion) -> JSONPiece?
    ) -> JSONPiece? {
        let allowed = versions ?? sources
        func find(_ version: JSONVersion) -> JSONPiece? {
            self[version].flatMap { piece($0, version) }
        }
        let here = allowed.contains(.here) ? find(.here) : nil
        let there = allowed.contains(.there) ? find(.there) : nil
        guard let here, let there else { return here ?? there }
        if here.bytes == there.bytes { return preferred == .there ? there : here }
        if !isContested, let base = find(.base) {
            if base.bytes == here.bytes { return there }
            if base.bytes == there.bytes { return here }
        }
        if let preferred { return preferred == .here ? here : there }
        return here.bytes.lexicographicallyPrecedes(there.bytes) ? here : there
    }
}
