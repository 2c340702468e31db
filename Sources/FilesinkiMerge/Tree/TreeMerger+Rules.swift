import FilesinkiModel
import FilesinkiText

/// The user's rules for fields, and texts in lines.
extension TreeMerger {
    /// Merges a text that both sides changed by its lines.
    ///
    /// - Returns: False where they cannot be merged, or are not texts of one kind.
    mutating func writeMergedLines(_ nodes: Nodes) -> Bool {
        guard let base = nodes.base, let ours = nodes.ours, let theirs = nodes.theirs,
            [base, ours, theirs].allSatisfy({ $0.kind == .scalar && $0.type == ours.type })
        else { return false }
        let texts = MergeVersion.allCases.map { Array(bytes(nodes, $0)) + [10] }
        let input = MergeInput(base: texts[0], ours: texts[1], theirs: texts[2])
        guard case .merged(let merged) = TextMerge().merge(input) else { return false }
        output += merged.dropLast()
        outline.appendComputed()
        self.input.trace?.add(place.pointer, .both, .combined)
        return true
    }

    /// The first rule for this place.
    func rule() -> FieldRule.Resolution? {
        guard !fields.isEmpty else { return nil }
        let place = place.texts
        return fields.first { $0.pattern.matches(place) }?.resolution
    }

    /// Whether a rule decides about an element of the list at this place.
    var ruledElements: (MergeTrio<Int>) -> Bool {
        // Without the merger itself, whose output would be copied at the next write.
        { [fields, place] entry in
            let index = entry.base ?? min(entry.ours ?? .max, entry.theirs ?? .max)
            let texts = place.texts + [String(index)]
            return fields.contains { $0.pattern.matches(texts) }
        }
    }

    /// The side whose order elements get that both sides put in another order, or a conflict.
    ///
    /// - Parameter name: Of the elements; empty for those of the list at this place.
    mutating func sideOfOrder(_ name: [UInt8]) -> MergeVersion? {
        if !name.isEmpty { place.enter(name) }
        defer { if !name.isEmpty { place.leave() } }
        guard let side = input.chosenSide else {
            decline(SequenceOrder.reasonOfReordering)
            return nil
        }
        input.trace?.add(place, side, .fieldChoice)
        return side
    }

    /// - Returns: Whether the rule decided; a decline counts.
    mutating func apply(_ rule: FieldRule.Resolution, _ nodes: Nodes) -> Bool {
        guard !sameMeaning(nodes, .base, .ours), !sameMeaning(nodes, .base, .theirs),
            rule == .sum || !sameMeaning(nodes, .ours, .theirs)
        else { return false }
        switch rule {
        case .sum: writeSum(nodes)
        case .max, .min: writeExtreme(nodes, isGreater: rule == .max)
        case .maxVersion:
            let isNewer =
                [nodes.ours, nodes.theirs].allSatisfy { $0?.kind == .scalar }
                ? VersionText.isNewer(meaning(nodes, .ours), meaning(nodes, .theirs)) : nil
            guard let isNewer else {
                resolve(nodes, VersionText.reason)
                break
            }
            write(nodes, isNewer ? .ours : .theirs, by: rule)
        case .union: return false
        case .newest:
            if let newest = input.newest {
                write(nodes, newest, by: rule)
            } else {
                resolve(nodes, "Both sides changed it at the same time.")
            }
        }
        return true
    }

    private mutating func write(
        _ nodes: Nodes, _ side: MergeVersion, by rule: FieldRule.Resolution
    ) {
        input.trace?.add(place, side, .rule(rule))
        write(nodes[side], side)
    }

    private mutating func writeExtreme(_ nodes: Nodes, isGreater: Bool) {
        guard let ours = nodes.ours, let theirs = nodes.theirs, ours.kind == .scalar,
            theirs.kind == .scalar
        else {
            return resolve(nodes, "Neither value is the greater one: they are of different kinds.")
        }
        let oursIsGreater: Bool
        switch (JSONDecimal(text: bytes(nodes, .ours)), JSONDecimal(text: bytes(nodes, .theirs))) {
        case (let one?, let other?): oursIsGreater = one > other
        case (nil, nil):
            oursIsGreater = meaning(nodes, .theirs).lexicographicallyPrecedes(meaning(nodes, .ours))
        default:
            return resolve(nodes, "Neither value is the greater one: they are of different kinds.")
        }
        write(nodes, oursIsGreater == isGreater ? .ours : .theirs, by: isGreater ? .max : .min)
    }

    private func meaning(_ nodes: Nodes, _ version: MergeVersion) -> ArraySlice<UInt8> {
        trees[version]?.slice(nodes[version]?.meaning ?? .none) ?? []
    }

    /// Base and both differences; what base does not have counts as 0.
    private mutating func writeSum(_ nodes: Nodes) {
        let base =
            nodes.base == nil ? JSONDecimal(text: [0x30]) : JSONDecimal(text: bytes(nodes, .base))
        guard let ours = JSONDecimal(text: bytes(nodes, .ours)),
            let theirs = JSONDecimal(text: bytes(nodes, .theirs)), let base,
            let sum = ours.adding(theirs)?.adding(-base)
        else {
            return resolve(nodes, "One of the versions is not a number that can be added.")
        }
        output += sum.written(fraction: 0)
        outline.appendComputed()
        input.trace?.add(place.pointer, .both, .rule(.sum))
    }
}
