/// Objects, and what they have in common with arrays.
extension JSONMerger {
    /// What becomes of a member or an element.
    enum Fate: Hashable {
        case merged
        case taken(JSONVersion)
        case dropped
    }

    func layouts(_ trio: JSONTrio) -> [JSONLayout?] {
        JSONVersion.allCases.map { version in
            guard let document = self[version], let node = trio[version] else { return nil }
            return JSONLayout(document, node, document.children(of: node), version)
        }
    }

    mutating func mergeObject(_ trio: JSONTrio) {
        let layouts = layouts(trio)
        guard let match = JSONMatch(.key, documents, layouts) else {
            return resolve(trio, "Both sides changed an object that has a key twice.")
        }
        mergeThings(trio, match, layouts)
    }

    /// Merges what was matched, in the order that the versions imply.
    mutating func mergeThings(
        _ trio: JSONTrio, _ match: JSONMatch, _ layouts: [JSONLayout?],
        _ order: SequenceOrder? = nil
    ) {
        let fates = match.entries.map { fate($0, layouts) }
        let order = order ?? self.order(match, layouts)
        let things = order.merged { fates[$0] != .dropped }
        writeContainer(trio, layouts, things.map { (match.entries[$0], fates[$0]) })
    }

    func order(_ match: JSONMatch, _ layouts: [JSONLayout?]) -> SequenceOrder {
        let sortings = JSONSortings(match, documents, layouts)
        return SequenceOrder(
            base: match.orders[0], here: match.orders[1], there: match.orders[2],
            count: match.entries.count, precedes: sortings.precedes, sortings: { sortings.all })
    }

    private mutating func fate(_ entry: JSONTrio, _ layouts: [JSONLayout?]) -> Fate {
        switch (entry.base, entry.here, entry.there) {
        case (_, .some, .some): .merged
        case (nil, .some, nil): .taken(.here)
        case (nil, nil, .some): .taken(.there)
        case (.some, .some, nil): fate(entry, layouts, of: .here)
        case (.some, nil, .some): fate(entry, layouts, of: .there)
        default: .dropped
        }
    }

    /// What becomes of something that only one side still has.
    private mutating func fate(
        _ entry: JSONTrio, _ layouts: [JSONLayout?], of side: JSONVersion
    ) -> Fate {
        guard isChanged(nodes(entry, layouts), side) else { return .dropped }
        enter(entry, layouts)
        defer { place.leave() }
        var winner = chosenSide
        if rule() == .newest { winner = newest }
        if winner == nil { decline("One side removed it, the other changed it.") }
        return winner == side ? .taken(side) : .dropped
    }

    func nodes(_ entry: JSONTrio, _ layouts: [JSONLayout?]) -> JSONTrio {
        var result = JSONTrio()
        for version in JSONVersion.allCases {
            result[version] = entry[version].flatMap {
                layouts[version.rawValue]?.children[$0]
            }
        }
        return result
    }

    /// Steps into a member or an element: the key, or the place in base or on the first side.
    private mutating func enter(_ entry: JSONTrio, _ layouts: [JSONLayout?]) {
        let nodes = nodes(entry, layouts)
        for version in JSONVersion.allCases {
            if let node = nodes[version], let document = self[version],
                !document.nodes[node].key.isEmpty
            {
                return place.enter(document.key(node))
            }
        }
        let index = entry.base ?? min(entry.here ?? .max, entry.there ?? .max)
        place.enter(Array(String(index).utf8))
    }

    // MARK: Writing

    mutating func writeContainer(
        _ trio: JSONTrio, _ layouts: [JSONLayout?], _ things: [(entry: JSONTrio, fate: Fate)]
    ) {
        guard let here = trio.here, let text = self[.here]?.text(here) else { return }
        let spacing = JSONSpacing(layouts, preferred: preferred, isContested: writer.isContested)
        writer.write(text.prefix(1))
        var previous: JSONTrio?
        for (entry, fate) in things {
            writeSpace(before: entry, after: previous, spacing)
            enter(entry, layouts)
            writeThing(entry, fate, spacing)
            place.leave()
            previous = entry
        }
        if let space = previous == nil ? spacing.empty : spacing.closing {
            writer.writeSpace(space)
        }
        writer.write(text.suffix(1))
    }

    private mutating func writeSpace(
        before entry: JSONTrio, after previous: JSONTrio?, _ spacing: JSONSpacing
    ) {
        guard let previous else {
            if let opening = spacing.opening { writer.writeSpace(opening) }
            return
        }
        if let separator = spacing.separator(after: previous, before: entry) {
            return writer.writeSpace(separator)
        }
        writer.write([UInt8(ascii: ",")])
        if let opening = spacing.opening, opening.hasLine {
            writer.writeSpace(opening)
        } else {
            writer.write([UInt8(ascii: " ")].prefix(writer.style.isTight ? 0 : 1))
        }
    }

    private mutating func writeThing(_ entry: JSONTrio, _ fate: Fate, _ spacing: JSONSpacing) {
        let nodes = nodes(entry, spacing.layouts)
        switch fate {
        case .dropped: break
        case .taken(let side):
            guard let node = nodes[side] else { return }
            writer.writeKey(node, side)
            write(nodes, side)
        case .merged:
            writeKey(nodes, entry, spacing)
            mergeValue(nodes)
        }
    }

    /// A key that both sides have; they may spell it differently.
    private mutating func writeKey(_ nodes: JSONTrio, _ entry: JSONTrio, _ spacing: JSONSpacing) {
        let keys = JSONVersion.allCases.map { version in
            nodes[version].flatMap { node in self[version].map { $0.slice($0.nodes[node].key) } }
        }
        guard let here = keys[1], let there = keys[2], !here.isEmpty else { return }
        if here == there || keys[0] == there {
            writer.write(here)
        } else if keys[0] == here {
            writer.write(there)
        } else {
            writer.write(here.lexicographicallyPrecedes(there) ? here : there)
        }
        if let colon = spacing.colon(entry, documents) { writer.writeColon(colon) }
    }
}
