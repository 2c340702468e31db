/// Arrays whose elements cannot be told apart by what they are: by place, as lines of text are.
extension JSONMerger {
    mutating func mergeSequence(_ trio: JSONTrio, _ layouts: [JSONLayout?]) {
        let numbers = JSONNumbering(documents, layouts).lists
        let groups = SequenceMerge.groups(base: numbers[0], here: numbers[1], there: numbers[2])
        var things: [(entry: JSONTrio, fate: Fate)] = []
        for group in groups {
            guard let part = elements(of: group, numbers, layouts) else {
                return decline("Both sides changed the same part of a list.")
            }
            things += part
        }
        guard chosenSide != nil || isStable(things.map(\.entry), numbers) else {
            return decline("Both sides changed a list in ways that can be told apart in two ways.")
        }
        writeContainer(trio, layouts, things)
    }

    /// Whether the list would come out the same again.
    private func isStable(_ entries: [JSONTrio], _ numbers: [[Int]]) -> Bool {
        let known = 1 + numbers.joined().reduce(0, max)
        let result = entries.enumerated().map { index, entry -> Int in
            guard let our = entry.here.map({ numbers[1][$0] }) else {
                return entry.there.map { numbers[2][$0] } ?? known + index
            }
            guard let their = entry.there.map({ numbers[2][$0] }), our != their else { return our }
            let base = entry.base.map { numbers[0][$0] }
            return base == our ? their : base == their ? our : known + index
        }
        return SequenceMerge.isStable(
            base: numbers[0], here: numbers[1], there: numbers[2], result: result, known: known)
    }

    /// The elements that a part of the array gets; nil to decline.
    private func elements(
        of group: SequenceMerge.Group, _ numbers: [[Int]], _ layouts: [JSONLayout?]
    ) -> [(entry: JSONTrio, fate: Fate)]? {
        let isSame = numbers[1][group.here] == numbers[2][group.there]
        switch group.change {
        case _ where isSame:
            let isStable = group.base.count == group.here.count
            return zip(group.here, group.there).enumerated().map { index, pair in
                let base = isStable ? group.base.lowerBound + index : nil
                return (JSONTrio(base: base, here: pair.0, there: pair.1), .merged)
            }
        case .here: return group.here.map { (JSONTrio(here: $0), .taken(.here)) }
        case .there: return group.there.map { (JSONTrio(there: $0), .taken(.there)) }
        case .none, .both: return inPlace(group, layouts) ?? chosen(group)
        }
    }

    /// One by one, where all versions have as many and each is recognizably the same.
    private func inPlace(
        _ group: SequenceMerge.Group, _ layouts: [JSONLayout?]
    ) -> [(entry: JSONTrio, fate: Fate)]? {
        guard group.here.count == group.base.count, group.there.count == group.base.count else {
            return nil
        }
        var result: [(entry: JSONTrio, fate: Fate)] = []
        for index in 0..<group.base.count {
            let entry = JSONTrio(
                base: group.base.lowerBound + index, here: group.here.lowerBound + index,
                there: group.there.lowerBound + index)
            guard isRecognizable(nodes(entry, layouts)) else { return nil }
            result.append((entry, .merged))
        }
        return result
    }

    private func chosen(_ group: SequenceMerge.Group) -> [(entry: JSONTrio, fate: Fate)]? {
        switch chosenSide {
        case .here: group.here.map { (JSONTrio(here: $0), .taken(.here)) }
        case .there: group.there.map { (JSONTrio(there: $0), .taken(.there)) }
        default: nil
        }
    }

    /// Whether what both sides changed is still the same thing on both: half of it is as it was.
    private func isRecognizable(_ trio: JSONTrio) -> Bool {
        guard isChanged(trio, .here), isChanged(trio, .there), !isSame(trio) else { return true }
        guard let base = trio.base, let document = self[.base] else { return false }
        guard document.nodes[base].kind.isContainer else { return true }
        return [JSONVersion.here, .there].allSatisfy { version in
            guard let side = self[version], let node = trio[version] else { return false }
            return document.isSimilar(base, side, node)
        }
    }
}
