import FilesinkiModel
import FilesinkiText

/// Rules for fields: the user's, and those of the format.
extension TreeMerger {
    /// The first rule for this place.
    func rule() -> FieldRule.Resolution? {
        guard !fields.isEmpty else { return nil }
        let place = place.texts
        return fields.first { $0.pattern.matches(place) }?.resolution
    }

    /// Writes a field that comes from the side from which another one comes.
    ///
    /// - Returns: False for any other field, and for one that a rule of the user is for.
    mutating func writeFollower(_ nodes: Nodes) -> Bool {
        guard let follower = follower,
            follower.followsAlways
                || !sameMeaning(nodes, .base, .ours) && !sameMeaning(nodes, .base, .theirs)
        else { return false }
        let side = follower.side ?? greater(nodes)
        if !sameMeaning(nodes, .ours, .theirs) { input.trace?.add(place, side, .format) }
        write(nodes[side], side)
        return true
    }

    /// The field at this place that follows another one, unless a rule of the user is for it.
    private var follower: FollowingField? {
        let place = place.texts
        guard let follower = followers.first(where: { $0.pattern.matches(place) }),
            !input.settings.fields.contains(where: { $0.pattern.matches(place) })
        else { return nil }
        return follower
    }

    /// The side that has a field which one removed and the other changed, where it follows another field.
    ///
    /// - Parameter side: The one that changed it.
    /// - Returns: nil for any other field.
    func follows(_ side: MergeVersion) -> Bool? {
        guard !followers.isEmpty, let follower else { return nil }
        return follower.side.map { $0 == side } ?? true
    }

    /// The side with the newer version or, where they are no versions, the greater text.
    private func greater(_ nodes: Nodes) -> MergeVersion {
        let areScalars = [nodes.ours, nodes.theirs].allSatisfy { $0?.kind == .scalar }
        let texts = [MergeVersion.ours, .theirs].map { side in
            areScalars ? meaning(nodes, side) : bytes(nodes, side)
        }
        let isOurs =
            VersionText.isNewer(texts[0], texts[1])
            ?? texts[1].lexicographicallyPrecedes(texts[0])
        return isOurs ? .ours : .theirs
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
            rule == .sum && (nodes.base != nil || addsEqualAdditions)
                || !sameMeaning(nodes, .ours, .theirs)
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
        switch (decimal(nodes, .ours), decimal(nodes, .theirs)) {
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

    /// The number that a scalar is; nil for any other value.
    private func decimal(_ nodes: Nodes, _ version: MergeVersion) -> JSONDecimal? {
        let isQuoted = quote(nodes, version) != nil
        return JSONDecimal(text: isQuoted ? meaning(nodes, version) : bytes(nodes, version))
    }

    /// The quote around a scalar of a format in which numbers are in quotes, too.
    private func quote(_ nodes: Nodes, _ version: MergeVersion) -> UInt8? {
        guard format.hasNumbersInQuotes, let first = bytes(nodes, version).first,
            first == UInt8(ascii: "\"") || first == UInt8(ascii: "'")
        else { return nil }
        return first
    }

    /// Base and both differences; what base does not have counts as 0.
    private mutating func writeSum(_ nodes: Nodes) {
        let base = nodes.base == nil ? JSONDecimal(text: [0x30]) : decimal(nodes, .base)
        guard let ours = decimal(nodes, .ours), let theirs = decimal(nodes, .theirs), let base,
            let sum = ours.adding(theirs)?.adding(-base)
        else {
            return resolve(nodes, "One of the versions is not a number that can be added.")
        }
        // The lesser of two quotes, so that both devices write the same.
        let quotes = [quote(nodes, .ours), quote(nodes, .theirs)].compactMap(\.self).min()
        let quote = quotes.map { [$0] } ?? []
        output += quote + sum.written(fraction: 0) + quote
        outline.appendComputed()
        input.trace?.add(place.pointer, .both, .rule(.sum))
    }
}
