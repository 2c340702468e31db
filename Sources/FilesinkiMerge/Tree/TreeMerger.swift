import FilesinkiModel
import FilesinkiText

/// The state of one merge of three trees.
///
/// Each part of the result (a name, a comment, the white space between two items, a value) is one side's bytes:
/// those of the side that changed it. Where both changed it otherwise, the merge declines.
struct TreeMerger {
    typealias Nodes = MergeTrio<SyntaxNode>

    let trees: MergeTrio<SyntaxTree>
    let format: any SyntaxFormat
    let input: MergeInput
    /// The merged document.
    var output: [UInt8] = []
    /// What the merged document says.
    var outline = SyntaxOutline()
    private(set) var conflicts: [MergeConflict] = []
    var place = MergePlace()
    let hasCounters: Bool
    /// Whether equal values without a common version are added up, as outside of elements that both sides added alike.
    var addsEqualAdditions = true
    let fields: [FieldRule]
    let followers: [FollowingField]

    private static let mostConflicts = 1000

    init(_ trees: MergeTrio<SyntaxTree>, _ format: any SyntaxFormat, _ input: MergeInput) {
        self.trees = trees
        self.format = format
        self.input = input
        let rules = input.settings.fields
        fields = rules + format.fields
        followers = format.followers(trees).filter { follower in
            !rules.contains { $0.pattern.matches(follower.leader) }
        }
        hasCounters = input.settings.fields.contains { $0.resolution == .sum }
        let capacity = max(input.ours.count, input.theirs.count) * 5 / 4
        output.reserveCapacity(capacity)
        outline = SyntaxOutline(capacity: capacity)
    }

    /// Merges the documents.
    mutating func mergeDocument() {
        writePart(trees.map(\.before))
        merge(trees.map(\.root))
        writePart(trees.map(\.after))
    }

    /// Merges a value that both sides have, and writes it.
    private mutating func merge(_ nodes: Nodes) {
        guard let ours = nodes.ours, let theirs = nodes.theirs else { return }
        if !followers.isEmpty, writeFollower(nodes) { return }
        if let side = unchangedSide(nodes), !looksInside(nodes) {
            if input.trace != nil { noteUnchanged(nodes, side) }
            return write(nodes[side], side)
        }
        let rule = rule()
        if let rule, apply(rule, nodes) { return }
        guard ours.kind == theirs.kind, ours.kind != .scalar, ours.form == theirs.form else {
            return mergeWhole(nodes)
        }
        var nodes = nodes
        if let base = nodes.base, base.kind != ours.kind || base.form != ours.form {
            nodes.base = nil
        }
        mergeItems(nodes, asUnion: rule == .union && ours.kind == .list)
    }

    /// The side that is copied unchanged; nil when the value must be merged.
    private func unchangedSide(_ nodes: Nodes) -> MergeVersion? {
        let isEqual = sameBytes(nodes, .ours, .theirs)
        if isEqual, !hasCounters { return .ours }
        if sameBytes(nodes, .base, .ours) { return .theirs }
        return sameBytes(nodes, .base, .theirs) ? .ours : nil
    }

    func sameBytes(_ nodes: Nodes, _ one: MergeVersion, _ other: MergeVersion) -> Bool {
        guard let left = nodes[one], let right = nodes[other], let tree = trees[one],
            let otherTree = trees[other]
        else { return false }
        return tree.sameBytes(left, otherTree, right)
    }

    func sameMeaning(_ nodes: Nodes, _ one: MergeVersion, _ other: MergeVersion) -> Bool {
        guard let left = nodes[one], let right = nodes[other], let tree = trees[one],
            let otherTree = trees[other]
        else { return false }
        return tree.sameMeaning(left, otherTree, right)
    }

    /// A scalar, or values of different kinds: one side's, or a conflict.
    private mutating func mergeWhole(_ nodes: Nodes) {
        let isOurs = !sameMeaning(nodes, .base, .ours)
        let isTheirs = !sameMeaning(nodes, .base, .theirs)
        if isOurs != isTheirs {
            input.trace?.add(place, isOurs ? .ours : .theirs, .edited)
            return write(nodes[isOurs ? .ours : .theirs], isOurs ? .ours : .theirs)
        }
        if !isOurs || sameMeaning(nodes, .ours, .theirs) {
            let side = lesser(nodes)
            if isOurs { input.trace?.add(place.pointer, .both, .alike) }
            return write(nodes[side], side)
        }
        if nodes.ours?.hasLines == true, writeMergedLines(nodes) { return }
        resolve(
            nodes,
            nodes.base == nil
                ? "Both sides added different values."
                : "Both sides changed it, to different values.")
    }

    /// The side whose bytes are the lesser, so that both devices write the same.
    private func lesser(_ nodes: Nodes) -> MergeVersion {
        bytes(nodes, .ours).lexicographicallyPrecedes(bytes(nodes, .theirs)) ? .ours : .theirs
    }

    func bytes(_ nodes: Nodes, _ version: MergeVersion) -> ArraySlice<UInt8> {
        trees[version]?.slice(nodes[version]?.range ?? 0..<0) ?? []
    }

    /// Takes the side whose version conflicts have, or declines.
    mutating func resolve(_ nodes: Nodes, _ reason: String) {
        guard let side = input.conflictSide else { return decline(reason) }
        input.trace?.add(place, side, .fieldChoice)
        write(nodes[side], side)
    }

    mutating func decline(_ reason: String) {
        guard conflicts.count < Self.mostConflicts, conflicts.last?.place != place.pointer else {
            return
        }
        conflicts.append(MergeConflict(place.pointer, reason))
    }

    // MARK: Writing

    /// Writes a whole value of a version.
    mutating func write(_ node: SyntaxNode?, _ version: MergeVersion) {
        guard let node, let tree = trees[version] else { return }
        output += tree.slice(node.range)
        tree.appendOutline(of: node, to: &outline)
    }

    /// Writes the merged bytes of a part; comments of both sides are merged by lines.
    private mutating func writePart(_ part: MergeTrio<Range<Int>>) {
        let texts = MergeTrio(
            base: text(part, .base), ours: text(part, .ours), theirs: text(part, .theirs))
        guard let ours = texts.ours, let theirs = texts.theirs else {
            output += texts.ours ?? texts.theirs ?? []
            return
        }
        if ours == theirs || theirs == texts.base { return output += ours }
        if ours == texts.base { return output += theirs }
        if ours.filter({ $0 > 0x20 }) == theirs.filter({ $0 > 0x20 }) {
            return output += ours.lexicographicallyPrecedes(theirs) ? ours : theirs
        }
        let lines = TextMerge().merge(
            MergeInput(base: texts.base.map(Array.init), ours: Array(ours), theirs: Array(theirs)))
        switch lines {
        case .merged(let bytes): output += bytes
        case .declined where input.settings.keepsMembers:
            output += input.chosenSide == .ours ? ours : theirs
        case .declined:
            guard let side = input.markedSide else {
                return decline("Both sides changed what is written around it.")
            }
            output += side == .ours ? ours : theirs
        }
    }

    private func text(
        _ part: MergeTrio<Range<Int>>, _ version: MergeVersion
    ) -> ArraySlice<UInt8>? {
        guard let range = part[version], let tree = trees[version] else { return nil }
        return tree.slice(range)
    }

    // MARK: Containers

    private mutating func mergeItems(_ nodes: Nodes, asUnion: Bool) {
        var matcher = ItemMatcher(
            trees: trees, nodes: nodes, format: format, chosenSide: input.chosenSide)
        matcher.markedSide = input.markedSide
        matcher.hasCounters = hasCounters
        if nodes.ours?.kind == .list, !fields.isEmpty { matcher.isRuled = ruledElements }
        switch asUnion ? matcher.matchByValue() : matcher.match(identity: identity()) {
        case .conflict where writeListByLines(nodes): break
        case .conflict(let reason) where input.settings.keepsMembers: decline(reason)
        case .conflict(let reason): resolve(nodes, reason)
        case .keyed(let match) where match.reorderedTwice == [] && input.markedSide != nil:
            resolve(nodes, SequenceOrder.reasonOfReordering)
        case .keyed(var match):
            if let name = match.reorderedTwice { match.chosenSide = sideOfOrder(name) }
            let resolutions = match.entries.map { resolution($0, nodes) }
            if input.trace != nil {
                noteItems(zip(match.entries, resolutions).map { ($0, $1) }, nodes)
            }
            let things = match.merged { resolutions[$0] != .dropped }
            let items = things.map { (match.entries[$0], resolutions[$0]) }
            writeItems(nodes, items, areIdentified: !match.isByValue)
        case .sequence(let things):
            if input.trace != nil {
                noteItems(
                    things + ElementSequence.removed(from: things, of: matcher.numbers()), nodes)
            }
            writeItems(nodes, things, areIdentified: false)
        }
    }

    /// The member that a rule names for the elements of the list at this place.
    private func identity() -> String? {
        guard !input.settings.identities.isEmpty else { return nil }
        let place = place.texts
        return input.settings.identities.first { $0.pattern.matches(place) }?.member
    }

    private mutating func resolution(
        _ entry: MergeTrio<Int>, _ nodes: Nodes
    ) -> ItemResolution {
        switch (entry.base, entry.ours, entry.theirs) {
        case (_, .some, .some): .merged
        case (nil, .some, nil): .taken(.ours)
        case (nil, nil, .some): .taken(.theirs)
        case (.some, .some, nil): resolution(entry, nodes, of: .ours)
        case (.some, nil, .some): resolution(entry, nodes, of: .theirs)
        default: .dropped
        }
    }

    /// How an item is resolved that only one side still has.
    private mutating func resolution(
        _ entry: MergeTrio<Int>, _ nodes: Nodes, of side: MergeVersion
    ) -> ItemResolution {
        let items = items(entry, nodes)
        guard let base = items.base, let item = items[side], let baseTree = trees.base,
            let tree = trees[side]
        else { return .dropped }
        let isSame =
            baseTree.sameMeaning(base.value, tree, item.value)
            && baseTree.comments(of: base) == tree.comments(of: item)
            && (item.value.kind == .scalar
                || baseTree.outline(of: base.value, withComments: true)
                    == tree.outline(of: item.value, withComments: true))
        if isSame { return .dropped }
        if input.settings.keepsMembers { return .taken(side) }
        enter(entry, nodes)
        defer { place.leave() }
        if let isKept = follows(side) { return isKept ? .taken(side) : .dropped }
        let winner = (rule() == .newest ? input.newest : input.chosenSide) ?? input.markedSide
        if winner == nil { decline("One side removed it, the other changed it.") }
        return winner == side ? .taken(side) : .dropped
    }

    func items(_ entry: MergeTrio<Int>, _ nodes: Nodes) -> MergeTrio<SyntaxItem> {
        var result = MergeTrio<SyntaxItem>()
        for version in MergeVersion.allCases {
            if let node = nodes[version], let ordinal = entry[version] {
                result[version] = trees[version]?.items(of: node)[ordinal]
            }
        }
        return result
    }

    /// Enters an item: by its name, or its index in the base or the first side.
    mutating func enter(_ entry: MergeTrio<Int>, _ nodes: Nodes) {
        let items = items(entry, nodes)
        for version in MergeVersion.allCases {
            guard let tree = trees[version], let item = items[version] else { continue }
            let name = format.title(of: item, in: tree)
            if !name.isEmpty { return place.enter(Array(name)) }
        }
        let index = entry.base ?? min(entry.ours ?? .max, entry.theirs ?? .max)
        place.enter(Array(String(index).utf8))
    }

    /// - Parameter areIdentified: Whether the items have names or identities. Of others, those that both sides added alike
    ///   are one, in which no counter is added up.
    private mutating func writeItems(
        _ nodes: Nodes, _ things: [(entry: MergeTrio<Int>, resolution: ItemResolution)],
        areIdentified: Bool
    ) {
        let gaps = GapMerge(trees, nodes, of: things.lazy.map(\.entry))
        outline.append(nodes.ours?.kind)
        writePart(nodes.map(\.opening))
        let last = things.lastIndex { items($0.entry, nodes).map(\.role).isValue }
        var previous: MergeTrio<Int>?
        for (index, (entry, resolution)) in things.enumerated() {
            output += gaps.gap(after: previous, before: entry)
            previous = entry
            if resolution == .merged, index < last ?? 0, writeUnchanged(entry, nodes) { continue }
            enter(entry, nodes)
            let items = items(entry, nodes)
            let hasComma =
                nodes.ours?.hasCommas == true && items.map(\.role).isValue
                && (index < last ?? 0 || gaps.hasLastComma)
            let lineEnd = index < things.count - 1 ? gaps.lineEnd(after: entry) : []
            switch resolution {
            case .merged:
                let addsEqual = addsEqualAdditions
                if !areIdentified, entry.base == nil { addsEqualAdditions = false }
                writeItem(items, hasComma: hasComma, lineEnd)
                addsEqualAdditions = addsEqual
            case .taken(let side):
                var only = MergeTrio<SyntaxItem>()
                only[side] = items[side]
                writeItem(only, hasComma: hasComma, lineEnd)
            case .dropped: break
            }
            place.leave()
        }
        output += gaps.gap(after: previous, before: nil)
        writePart(nodes.map(\.closing))
        outline.append(nil)
    }

    /// Writes an item that has the same bytes in all versions and items behind it, with a comma where it needs one.
    ///
    /// - Returns: False where the item must be merged.
    private mutating func writeUnchanged(_ entry: MergeTrio<Int>, _ nodes: Nodes) -> Bool {
        guard let base = bytes(of: entry, nodes, .base), let ours = bytes(of: entry, nodes, .ours),
            base == ours, bytes(of: entry, nodes, .theirs) == ours, let tree = trees.ours,
            let node = nodes.ours, let ordinal = entry.ours
        else { return false }
        let item = tree.items(of: node)[ordinal]
        guard item.role == .value, item.comma.isEmpty == !node.hasCommas else { return false }
        output += ours.bytes
        outline.append(tree.slice(item.key))
        tree.appendOutline(of: item.value, to: &outline)
        return true
    }

    /// The bytes of an item without its gap; nil for the last one.
    private func bytes(
        of entry: MergeTrio<Int>, _ nodes: Nodes, _ version: MergeVersion
    ) -> ByteKey? {
        guard let node = nodes[version], let ordinal = entry[version],
            ordinal < node.items.count - 1, let tree = trees[version]
        else { return nil }
        let item = tree.items(of: node)[ordinal]
        return ByteKey(tree.slice(item.gap.upperBound..<item.end))
    }

    /// - Parameter lineEnd: What follows an item that ended its container and does not any more.
    private mutating func writeItem(
        _ items: MergeTrio<SyntaxItem>, hasComma: Bool, _ lineEnd: [UInt8]
    ) {
        guard let item = items.ours ?? items.theirs else { return }
        writePart(items.map(\.lead))
        writePart(items.map(\.head))
        if item.role == .comment {
            writePart(items.map(\.value.range))
        } else {
            let tree = items.ours == nil ? trees.theirs : trees.ours
            outline.append(tree?.slice(item.key) ?? [])
            if items.ours == nil || items.theirs == nil {
                write(item.value, items.ours == nil ? .theirs : .ours)
            } else {
                merge(items.map(\.value))
            }
        }
        writePart(items.map(\.middle))
        if hasComma { output.append(UInt8(ascii: ",")) }
        let end = output.count
        writePart(items.map(\.tail))
        // A table or a block ends with its last line, and needs no other end.
        if output.count == end, output.last != 10 { output += lineEnd }
    }
}
