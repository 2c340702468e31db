import FilesinkiText

/// Objects, and what they have in common with arrays.
extension JSONMerger {
    typealias Resolution = ItemResolution

    func layouts(_ trio: MergeTrio<Int>) -> [JSONLayout?] {
        MergeVersion.allCases.map { version in
            guard let document = self[version], let node = trio[version] else { return nil }
            return JSONLayout(document, node, document.children(of: node), version)
        }
    }

    mutating func mergeObject(_ trio: MergeTrio<Int>) {
        let layouts = layouts(trio)
        guard let match = JSONMatch(.key, documents, layouts) else {
            return resolve(trio, "Both sides changed an object that has a key twice.")
        }
        mergeThings(trio, match, layouts)
    }

    /// Merges what was matched, in the order that the versions imply.
    mutating func mergeThings(
        _ trio: MergeTrio<Int>, _ match: JSONMatch, _ layouts: [JSONLayout?],
        _ order: SequenceOrder? = nil
    ) {
        let resolutions = match.entries.map { resolution($0, layouts) }
        if input.trace != nil {
            noteThings(zip(match.entries, resolutions).map { ($0, $1) }, layouts)
        }
        let order = order ?? self.order(match, layouts)
        let things = order.merged { resolutions[$0] != .dropped }
        let items = things.map { (match.entries[$0], resolutions[$0]) }
        writeContainer(trio, layouts, items, areIdentified: match.mode != .value)
    }

    func order(_ match: JSONMatch, _ layouts: [JSONLayout?]) -> SequenceOrder {
        let sortings = JSONSortings(match, documents, layouts)
        return SequenceOrder(
            base: match.orders[0], ours: match.orders[1], theirs: match.orders[2],
            count: match.entries.count, precedes: sortings.precedes,
            sortings: { keepsOrder ? [] : sortings.all })
    }

    private mutating func resolution(_ entry: MergeTrio<Int>, _ layouts: [JSONLayout?])
        -> Resolution
    {
        switch (entry.base, entry.ours, entry.theirs) {
        case (_, .some, .some): .merged
        case (nil, .some, nil): .taken(.ours)
        case (nil, nil, .some): .taken(.theirs)
        case (.some, .some, nil): resolution(entry, layouts, of: .ours)
        case (.some, nil, .some): resolution(entry, layouts, of: .theirs)
        default: .dropped
        }
    }

    /// How a thing is resolved that only one side still has.
    private mutating func resolution(
        _ entry: MergeTrio<Int>, _ layouts: [JSONLayout?], of side: MergeVersion
    ) -> Resolution {
        guard isChanged(nodes(entry, layouts), side) else { return .dropped }
        enter(entry, layouts)
        defer { place.leave() }
        var winner = input.chosenSide
        if rule() == .newest { winner = input.newest }
        winner = winner ?? input.markedSide
        if winner == nil { decline("One side removed it, the other changed it.") }
        return winner == side ? .taken(side) : .dropped
    }

    func nodes(_ entry: MergeTrio<Int>, _ layouts: [JSONLayout?]) -> MergeTrio<Int> {
        var result = MergeTrio<Int>()
        for version in MergeVersion.allCases {
            result[version] = entry[version].flatMap {
                layouts[version.rawValue]?.children[$0]
            }
        }
        return result
    }

    /// Enters a member or an element: by its key, or its index in the base or the first side.
    mutating func enter(_ entry: MergeTrio<Int>, _ layouts: [JSONLayout?]) {
        let nodes = nodes(entry, layouts)
        for version in MergeVersion.allCases {
            if let node = nodes[version], let document = self[version],
                !document.nodes[node].key.isEmpty
            {
                return place.enter(document.key(node))
            }
        }
        let index = entry.base ?? min(entry.ours ?? .max, entry.theirs ?? .max)
        place.enter(Array(String(index).utf8))
    }

    // MARK: Writing

    /// - Parameter areIdentified: Whether the things have keys or identities. Of others, those that both sides added alike
    ///   are one, in which no counter is added up.
    mutating func writeContainer(
        _ trio: MergeTrio<Int>, _ layouts: [JSONLayout?],
        _ things: [(entry: MergeTrio<Int>, resolution: Resolution)], areIdentified: Bool
    ) {
        guard let ours = trio.ours, let text = self[.ours]?.text(ours) else { return }
        let spacing = JSONSpacing(layouts, preferred: preferred, isContested: writer.isContested)
        writer.write(text.prefix(1))
        var previous: MergeTrio<Int>?
        for (entry, resolution) in things {
            writeSpace(before: entry, after: previous, spacing)
            enter(entry, layouts)
            let addsEqual = addsEqualAdditions
            if !areIdentified, entry.base == nil { addsEqualAdditions = false }
            writeThing(entry, resolution, spacing)
            addsEqualAdditions = addsEqual
            place.leave()
            previous = entry
        }
        if let space = previous == nil ? spacing.empty : spacing.closing {
            writer.writeSpace(space)
        }
        writer.write(text.suffix(1))
    }

    private mutating func writeSpace(
        before entry: MergeTrio<Int>, after previous: MergeTrio<Int>?, _ spacing: JSONSpacing
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

    private mutating func writeThing(
        _ entry: MergeTrio<Int>, _ resolution: Resolution, _ spacing: JSONSpacing
    ) {
        let nodes = nodes(entry, spacing.layouts)
        switch resolution {
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
    private mutating func writeKey(
        _ nodes: MergeTrio<Int>, _ entry: MergeTrio<Int>, _ spacing: JSONSpacing
    ) {
        let keys = MergeVersion.allCases.map { version in
            nodes[version].flatMap { node in self[version].map { $0.slice($0.nodes[node].key) } }
        }
        guard let ours = keys[1], let theirs = keys[2], !ours.isEmpty else { return }
        if ours == theirs || keys[0] == theirs {
            writer.write(ours)
        } else if keys[0] == ours {
            writer.write(theirs)
        } else {
            writer.write(ours.lexicographicallyPrecedes(theirs) ? ours : theirs)
        }
        if let colon = spacing.colon(entry, documents) { writer.writeColon(colon) }
    }
}

/// Arrays: by identity, by value, or by place.
extension JSONMerger {
    mutating func mergeArray(_ trio: MergeTrio<Int>) {
        let layouts = layouts(trio)
        let kinds = kinds(layouts)
        if kinds == [.object], let match = JSONIdentity.match(documents, layouts, rule: identity())
        {
            return mergeOrdered(trio, match, layouts, order(match, layouts))
        }
        guard trio.base != nil else {
            if isSame(trio) { return writeTogether(trio, layouts) }
            return resolve(trio, "Both sides added different lists.")
        }
        let isPlain = kinds.isDisjoint(with: [.object, .array])
        if isPlain, !kinds.isDisjoint(with: [.number, .literal]) {
            return mergePlaced(trio, layouts)
        }
        if isPlain || kinds == [.object], let match = JSONMatch(.value, documents, layouts) {
            let order = order(match, layouts)
            // Equal elements that replaced others are those, with counters that both sides changed alike.
            let isCounted = hasCounters && match.entries.contains(where: \.isAddedAlike)
            if !isCounted, !order.isReplacedTwice(orRemoved: !isPlain) {
                return mergeOrdered(trio, match, layouts, order)
            }
        }
        mergeSequence(trio, layouts)
    }

    /// Merges elements whose order says something.
    private mutating func mergeOrdered(
        _ trio: MergeTrio<Int>, _ match: JSONMatch, _ layouts: [JSONLayout?],
        _ order: SequenceOrder
    ) {
        var order = order
        if order.isReorderedTwice {
            if input.markedSide != nil { return resolve(trio, SequenceOrder.reasonOfReordering) }
            order.chosenSide = input.chosenSide
            if let side = input.chosenSide {
                input.trace?.add(place, side, .fieldChoice)
            } else {
                decline(SequenceOrder.reasonOfReordering)
            }
        }
        mergeThings(trio, match, layouts, order)
    }

    /// Merges elements whose places mean something: see ``ElementSequence/placed(_:)``.
    private mutating func mergePlaced(_ trio: MergeTrio<Int>, _ layouts: [JSONLayout?]) {
        if let match = JSONMatch(.value, documents, layouts) {
            let order = order(match, layouts)
            if order.isPlainlyPlaced { return mergeThings(trio, match, layouts, order) }
        }
        mergeSequence(trio, layouts, isPlaced: true)
    }

    /// Which kinds of elements the versions have.
    private func kinds(_ layouts: [JSONLayout?]) -> Set<JSONNode.Kind> {
        var result: Set<JSONNode.Kind> = []
        for (document, layout) in zip(documents, layouts) {
            guard let document, let layout else { continue }
            for child in layout.children { result.insert(document.nodes[child].kind) }
        }
        return result
    }

    private func identity() -> String? {
        guard !input.settings.identities.isEmpty else { return nil }
        let place = place.texts
        return input.settings.identities.first { $0.pattern.matches(place) }?.member
    }

    /// The elements of both, which are equal one by one.
    private mutating func writeTogether(_ trio: MergeTrio<Int>, _ layouts: [JSONLayout?]) {
        let count = layouts[1]?.children.count ?? 0
        let things = (0..<count).map { (MergeTrio(ours: $0, theirs: $0), Resolution.merged) }
        writeContainer(trio, layouts, things, areIdentified: false)
    }
}

/// Arrays whose elements cannot be told apart by what they are: by place, as lines of text are.
extension JSONMerger {
    mutating func mergeSequence(
        _ trio: MergeTrio<Int>, _ layouts: [JSONLayout?], isPlaced: Bool = false
    ) {
        switch merged(layouts, isPlaced) {
        case .merged(let items):
            if input.trace != nil { noteElements(items, layouts) }
            writeContainer(trio, layouts, items, areIdentified: false)
        case .conflict(let reason): resolve(trio, reason)
        }
    }

    private func merged(_ layouts: [JSONLayout?], _ isPlaced: Bool) -> ElementSequence.Result {
        var sequence = ElementSequence(
            numbers: JSONNumbering(documents, layouts).lists, chosenSide: input.chosenSide
        ) { isRecognizable(nodes($0, layouts)) }
        sequence.isPlaced = isPlaced
        sequence.markedSide = input.markedSide
        sequence.isRuled = isRuled
        return sequence.merged()
    }

    /// Whether a rule decides about an element of the list at this place.
    private func isRuled(_ entry: MergeTrio<Int>) -> Bool {
        guard !input.settings.fields.isEmpty else { return false }
        let index = entry.base ?? min(entry.ours ?? .max, entry.theirs ?? .max)
        let place = place.texts + [String(index)]
        return input.settings.fields.contains { $0.pattern.matches(place) }
    }

    /// Whether what both sides changed is still the same thing on both: half of it is as it was.
    private func isRecognizable(_ trio: MergeTrio<Int>) -> Bool {
        guard isChanged(trio, .ours), isChanged(trio, .theirs), !isSame(trio) else { return true }
        guard let base = trio.base, let document = self[.base] else { return false }
        guard document.nodes[base].kind.isContainer else { return true }
        return [MergeVersion.ours, .theirs].allSatisfy { version in
            guard let side = self[version], let node = trio[version] else { return false }
            return document.isSimilar(base, side, node)
        }
    }
}
