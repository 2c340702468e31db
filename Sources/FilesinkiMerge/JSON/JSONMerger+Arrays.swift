/// Arrays: by identity, by value, or by place.
extension JSONMerger {
    mutating func mergeArray(_ trio: JSONTrio) {
        let layouts = layouts(trio)
        let kinds = kinds(layouts)
        if kinds == [.object], let match = JSONIdentity.match(documents, layouts, rule: identity())
        {
            return mergeThings(trio, match, layouts)
        }
        guard trio.base != nil else {
            if isSame(trio) { return writeTogether(trio, layouts) }
            return resolve(trio, "Both sides added different lists.")
        }
        let isPlain = kinds.isDisjoint(with: [.object, .array])
        if isPlain || kinds == [.object], let match = JSONMatch(.value, documents, layouts) {
            let order = order(match, layouts)
            if !order.isReplacedTwice(orRemoved: !isPlain) {
                return mergeThings(trio, match, layouts, order)
            }
        }
        mergeSequence(trio, layouts)
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
    private mutating func writeTogether(_ trio: JSONTrio, _ layouts: [JSONLayout?]) {
        let count = layouts[1]?.children.count ?? 0
        let things = (0..<count).map { (JSONTrio(here: $0, there: $0), Fate.merged) }
        writeContainer(trio, layouts, things)
    }
}
