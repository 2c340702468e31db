import FilesinkiModel

/// The three versions of a part in XML.
struct PartVersions {
    let base: XMLPart
    let ours: XMLPart
    let theirs: XMLPart

    subscript(version: MergeVersion) -> XMLPart {
        switch version {
        case .base: base
        case .ours: ours
        case .theirs: theirs
        }
    }
}

/// Merges a part in XML by an ``ElementRule``.
///
/// Every byte of the result is one version's. Where both sides changed a value, or where something is not understood
/// (text between children, children of one key), it declines.
struct PartMerge {
    /// An element of a side that is in the result because this side changed or added it.
    struct Block: Hashable {
        let version: MergeVersion
        let element: Int
    }

    let parts: PartVersions
    /// The side whose bytes are written where both mean the same.
    let frame: MergeVersion
    /// The side that was saved last.
    let latest: MergeVersion
    var output: [UInt8] = []
    private(set) var conflicts: [MergeConflict] = []
    private(set) var steps: [MergeTrace.Step] = []
    /// The blocks whose references must mean the same in the result.
    var blocks: [Block] = []
    /// The names of the elements that lead to the one that is merged.
    private var place: [String] = []
    private let name: String

    /// - Parameter name: The part, for messages.
    init(_ parts: PartVersions, _ name: String, frame: MergeVersion, latest: MergeVersion) {
        self.parts = parts
        self.name = name
        self.frame = frame
        self.latest = latest
    }

    typealias Nodes = MergeTrio<Int>

    /// Merges the documents.
    mutating func mergeDocument(_ rule: ElementRule) {
        let versions = MergeVersion.allCases
        write(versions.map { parts[$0].slice(0..<parts[$0].elements[0].range.lowerBound) })
        let start = output.count
        merge(Nodes(base: 0, ours: 0, theirs: 0), rule)
        checkNamespaces(from: start)
        write(
            versions.map {
                parts[$0].slice(parts[$0].elements[0].range.upperBound..<parts[$0].bytes.count)
            })
    }

    /// The prefixes of both sides must be declared, as what they wrote uses them.
    private mutating func checkNamespaces(from start: Int) {
        guard conflicts.isEmpty, let result = XMLPart(Array(output[start...])) else { return }
        let declared = result.namespaces
        let ignorable = Self.ignorable(result)
        for side in [parts.ours, parts.theirs] {
            guard side.namespaces.allSatisfy({ declared[$0.key] == $0.value }),
                Self.ignorable(side).isSubset(of: ignorable)
            else { return decline("The versions declare different namespaces.") }
        }
    }

    /// What programs may skip that they do not know: Office Open XML, part 3, section 7.2.
    private static func ignorable(_ part: XMLPart) -> Set<[UInt8]> {
        let words = part.attribute("mc:Ignorable", of: 0)?.split { $0.isSpace } ?? []
        return Set(words.map(Array.init))
    }

    // MARK: Elements

    /// Merges an element that both sides have, and writes it.
    mutating func merge(_ nodes: Nodes, _ rule: ElementRule) {
        guard let ours = nodes.ours, let theirs = nodes.theirs else { return }
        place.append(String(decoding: parts.ours.name(ours), as: UTF8.self))
        defer { place.removeLast() }
        let side = Self.changed(
            nodes.base.map(parts.base.text), parts.ours.text(ours), parts.theirs.text(theirs))
        if let side, !rule.leadsToBlocks {
            noteUnchanged(nodes, side)
            return write(nodes, side)
        }
        switch rule {
        case .whole: decline("Both sides changed it.")
        case .wholeBesides(let fields): mergeWhole(nodes, fields)
        case .latest:
            note(latest, .format)
            write(nodes, latest)
        case .leftOut: note(nil, .format)
        case .keyed(let rule): mergeKeyed(nodes, rule)
        case .blocks(let rule): mergeBlocks(nodes, rule)
        case .union(let key): mergeUnion(nodes, key)
        }
    }

    /// The side that has the result: the one that changed it; nil if both did, otherwise.
    static func changed<Text: Equatable>(_ base: Text?, _ ours: Text, _ theirs: Text)
        -> MergeVersion?
    {
        if ours == theirs || theirs == base { return .ours }
        return ours == base ? .theirs : nil
    }

    private mutating func mergeKeyed(_ nodes: Nodes, _ rule: KeyedChildren) {
        guard areContainers(nodes), let match = match(nodes, rule) else {
            return decline("Both sides changed it.")
        }
        let entries = match.entries
        let added = [MergeVersion.ours, .theirs].map { side in
            entries.contains { $0.base == nil && $0[side] != nil && $0[side.other] == nil }
        }
        guard !rule.isOrdered || !added[0] || !added[1] else {
            return decline("Both sides added something to it.")
        }
        writeTag(nodes, rule.optionalAttributes)
        let removed = entries.map { isRemoved($0, nodes, rule) }
        let kept = match.merged { !removed[$0] }
        for number in rule.sorted(kept, match.identities) {
            mergeChild(entries[number], nodes, rule)
        }
        writeEnd(nodes)
    }

    /// The children by their keys; nil where a version has one twice, or one without a key.
    private func match(_ nodes: Nodes, _ rule: KeyedChildren) -> ItemMatch? {
        var numbers = ByteNumbers(capacity: 64)
        var things = MergeTrio<[Int]>()
        for version in MergeVersion.allCases {
            guard let node = nodes[version] else { continue }
            let keys = parts[version].elements[node].children.map { rule.key(parts[version], $0) }
            let found = keys.compactMap { $0.map { numbers.number(of: $0) } }
            guard found.count == keys.count, Set(found).count == found.count else { return nil }
            things[version] = found
        }
        let texts = numbers.texts
        var identities: [MergeVersion: [[UInt8]]] = [:]
        for version in MergeVersion.allCases {
            identities[version] = (things[version] ?? []).map { texts[$0] }
        }
        let known = identities
        return ItemMatch(things, texts, isSortable: false) { known[$0]?[$1] ?? [] }
    }

    private func child(_ nodes: Nodes, _ version: MergeVersion, _ ordinal: Int?) -> Int? {
        guard let node = nodes[version], let ordinal else { return nil }
        return parts[version].elements[node].children[ordinal]
    }

    private func children(_ entry: MergeTrio<Int>, _ nodes: Nodes) -> Nodes {
        Nodes(
            base: child(nodes, .base, entry.base), ours: child(nodes, .ours, entry.ours),
            theirs: child(nodes, .theirs, entry.theirs))
    }

    /// Whether a child is gone: one side removed it, and the other left it as it was.
    private mutating func isRemoved(
        _ entry: MergeTrio<Int>, _ nodes: Nodes, _ rule: KeyedChildren
    ) -> Bool {
        let children = children(entry, nodes)
        guard let base = children.base else { return false }
        guard let side = [MergeVersion.ours, .theirs].first(where: { children[$0] != nil }) else {
            return true
        }
        guard let left = children[side], children[side.other] == nil else { return false }
        place.append(String(decoding: parts.base.name(base), as: UTF8.self))
        defer { place.removeLast() }
        if parts.base.text(base) != parts[side].text(left) {
            if let isRemoved = isRemovedBySave(rule.rule(parts[side], left), side) {
                note(isRemoved ? side.other : side, .format)
                return isRemoved
            }
            decline("One side removed it, the other changed it.")
        }
        note(side.other, .removed)
        return true
    }

    private mutating func mergeChild(
        _ entry: MergeTrio<Int>, _ nodes: Nodes, _ rule: KeyedChildren
    ) {
        let children = children(entry, nodes)
        writeGap(children)
        for side in [MergeVersion.ours, .theirs] {
            guard let child = children[side], children[side.other] == nil else { continue }
            place.append(String(decoding: parts[side].name(child), as: UTF8.self))
            if children.base == nil { note(side, .added) }
            place.removeLast()
            output += parts[side].text(child)
            return
        }
        guard let ours = children.ours else { return }
        merge(children, rule.rule(parts.ours, ours))
    }

    /// All that either side has, in the order of the frame, what only the other has behind it.
    private mutating func mergeUnion(_ nodes: Nodes, _ key: (XMLPart, Int) -> [UInt8]?) {
        guard let one = nodes[frame], let two = nodes[frame.other], areContainers(nodes) else {
            return decline("Both sides changed it.")
        }
        let (part, other) = (parts[frame], parts[frame.other])
        var known: [[UInt8]: ArraySlice<UInt8>] = [:]
        for child in part.elements[one].children {
            if let key = key(part, child) { known[key] = part.text(child) }
        }
        var added: [UInt8] = []
        for child in other.elements[two].children {
            guard let key = key(other, child) else { return decline("Both sides changed it.") }
            if let same = known[key] {
                if same != other.text(child) { decline("Both sides changed it.") }
            } else {
                added += other.text(child)
                known[key] = other.text(child)
            }
        }
        guard !part.elements[one].content.isEmpty else {
            return output += added.isEmpty ? part.text(one) : other.text(two)
        }
        let content = part.elements[one].content
        output += part.slice(part.elements[one].range.lowerBound..<content.upperBound) + added
        output += part.slice(content.upperBound..<part.elements[one].range.upperBound)
    }

    // MARK: Writing

    private func areContainers(_ nodes: Nodes) -> Bool {
        MergeVersion.allCases.allSatisfy { version in
            nodes[version].map { parts[version].isContainer($0) } ?? false
        }
    }

    mutating func write(_ nodes: Nodes, _ version: MergeVersion) {
        guard let element = nodes[version] else { return }
        output += parts[version].text(element)
    }

    /// Writes a piece of which a side has the result, or declines.
    private mutating func write(_ texts: [ArraySlice<UInt8>]) {
        switch Self.changed(texts[0], texts[1], texts[2]) {
        case .ours?, .base?: output += texts[1]
        case .theirs?: output += texts[2]
        case nil: decline("Both sides changed what is written around it.")
        }
    }

    /// Writes the start tag.
    mutating func writeTag(_ nodes: Nodes, _ optional: [String] = []) {
        guard let tags = texts(nodes, { $0.tag }) else { return decline("Both sides changed it.") }
        let isEmpty = MergeVersion.allCases.map { version in
            nodes[version].map { parts[version].elements[$0].content.isEmpty } ?? true
        }
        let hasEnd = tags.allSatisfy { $0.dropLast().last != UInt8(ascii: "/") }
        guard hasEnd || !isEmpty.contains(false) else { return decline("Both sides changed it.") }
        let areNamespacesSame =
            place.count < 2
            || tags.allSatisfy { tag in
                tag == tags[0] || !tag.contains(sub: "xmlns")
            }
        if areNamespacesSame, Self.changed(tags[0], tags[1], tags[2]) != nil { return write(tags) }
        let plain = MergeVersion.allCases.compactMap { version in
            nodes[version].map { tag($0, version, without: optional) }
        }
        guard areNamespacesSame, !optional.isEmpty, plain.count == 3 else {
            return decline("Both sides changed its attributes.")
        }
        write(plain.map { $0[...] })
    }

    /// A start tag without some attributes.
    private func tag(_ element: Int, _ version: MergeVersion, without optional: [String]) -> [UInt8]
    {
        let part = parts[version]
        var result: [UInt8] = []
        var place = part.elements[element].tag.lowerBound
        for attribute in part.attributes(element) where optional.contains(where: attribute.isNamed)
        {
            result += part.slice(place..<attribute.range.lowerBound)
            place = attribute.range.upperBound
        }
        return result + part.slice(place..<part.elements[element].tag.upperBound)
    }

    /// Writes what is behind the last child.
    mutating func writeEnd(_ nodes: Nodes) {
        let ends = texts(nodes) { $0.content.upperBound..<$0.range.upperBound }
        writeSpace(
            MergeVersion.allCases.map { version in
                nodes[version].map { parts[version].lastGap($0) } ?? []
            })
        if let ends { write(ends) }
    }

    /// Writes the white space before a child.
    mutating func writeGap(_ children: Nodes) {
        let gaps = MergeVersion.allCases.map { version in
            children[version].map { parts[version].gap(before: $0) }
        }
        guard let ours = gaps[1] ?? gaps[2], let theirs = gaps[2] ?? gaps[1] else { return }
        writeSpace([gaps[0] ?? ours, ours, theirs])
    }

    private mutating func writeSpace(_ texts: [ArraySlice<UInt8>]) {
        let side = Self.changed(texts[0], texts[1], texts[2]) ?? frame
        output += side == .theirs ? texts[2] : texts[1]
    }

    private func texts(
        _ nodes: Nodes, _ range: (XMLPart.Element) -> Range<Int>
    ) -> [ArraySlice<UInt8>]? {
        let texts = MergeVersion.allCases.compactMap { version in
            nodes[version].map { parts[version].slice(range(parts[version].elements[$0])) }
        }
        return texts.count == 3 ? texts : nil
    }

    // MARK: Messages

    private func pointer(_ detail: String = "") -> String {
        let path = place.dropFirst().joined(separator: "/")
        return ([name] + [path, detail].filter { !$0.isEmpty }).joined(separator: ", ")
    }

    mutating func decline(_ reason: String) {
        let conflict = MergeConflict(pointer(), reason)
        if conflicts.last != conflict { conflicts.append(conflict) }
    }

    /// - Parameter side: nil where neither side's is taken.
    mutating func note(_ side: MergeVersion?, _ reason: MergeTrace.Reason, _ detail: String = "") {
        let source = side.map(MergeTrace.Source.init) ?? .none
        steps.append(MergeTrace.Step(pointer(detail), source, reason))
    }

    private mutating func noteUnchanged(_ nodes: Nodes, _ side: MergeVersion) {
        guard let base = nodes.base, let element = nodes[side],
            let other = nodes[side.other], parts.base.text(base) != parts[side].text(element)
        else { return }
        let isBoth = parts[side].text(element) == parts[side.other].text(other)
        steps.append(
            MergeTrace.Step(
                pointer(), isBoth ? .both : MergeTrace.Source(side), isBoth ? .alike : .edited))
    }
}

extension XMLPart {
    /// The white space before a child.
    func gap(before child: Int) -> ArraySlice<UInt8> {
        let start = elements[child].range.lowerBound
        let space = bytes[..<start].reversed().prefix { $0.isSpace }.count
        return bytes[(start - space)..<start]
    }

    /// The white space behind the last child.
    func lastGap(_ element: Int) -> ArraySlice<UInt8> {
        let content = elements[element].content
        let start = elements[element].children.last.map { elements[$0].range.upperBound }
        return bytes[(start ?? content.upperBound)..<content.upperBound]
    }
}

extension ArraySlice<UInt8> {
    fileprivate func contains(sub text: String) -> Bool {
        let text = Array(text.utf8)
        return indices.contains { self[$0...].starts(with: text) }
    }
}
