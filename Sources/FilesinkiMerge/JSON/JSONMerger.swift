import FilesinkiModel

/// One merge of three documents, while it goes on.
struct JSONMerger {
    let documents: [JSONDocument?]
    let input: MergeInput
    var writer: JSONWriter
    var place = JSONPlace()
    private(set) var conflicts: [MergeConflict] = []
    /// Whether equal changes count twice somewhere.
    let hasCounters: Bool
    let preferred: JSONVersion?

    private static let mostConflicts = 1000

    init(_ base: JSONDocument?, _ here: JSONDocument, _ there: JSONDocument, _ input: MergeInput) {
        documents = [base, here, there]
        self.input = input
        writer = JSONWriter(base: base, here: here, there: there)
        hasCounters = input.settings.fields.contains { $0.resolution == .sum }
        let isHere = writer.hasStyle(.here)
        preferred = isHere == writer.hasStyle(.there) ? nil : isHere ? .here : .there
    }

    subscript(version: JSONVersion) -> JSONDocument? { documents[version.rawValue] }

    mutating func merge() -> MergeOutcome {
        writeMargin { $0.slice(0..<$0.nodes[0].value.lowerBound) }
        mergeValue(JSONTrio(base: documents[0] == nil ? nil : 0, here: 0, there: 0))
        writeMargin { $0.slice($0.nodes[0].value.upperBound..<Int32($0.bytes.count)) }
        return conflicts.isEmpty ? .merged(writer.output) : .declined(conflicts)
    }

    /// What is before or behind the root.
    private mutating func writeMargin(_ margin: (JSONDocument) -> ArraySlice<UInt8>) {
        guard let ours = self[.here].map(margin), let theirs = self[.there].map(margin) else {
            return
        }
        let base = self[.base].map(margin)
        if ours == theirs || base == theirs { return writer.write(ours) }
        if base == ours { return writer.write(theirs) }
        writer.write(ours.lexicographicallyPrecedes(theirs) ? ours : theirs)
    }

    /// Writes a value that both sides have.
    mutating func mergeValue(_ trio: JSONTrio) {
        guard let here = trio.here, let there = trio.there else { return }
        if let side = unchangedSide(trio, here, there) {
            return writer.writeValue(trio[side] ?? here, side, depth: place.tokens.count)
        }
        if let rule = rule(), apply(rule, trio) { return }
        guard let ours = self[.here]?.nodes[here].kind,
            let theirs = self[.there]?.nodes[there].kind,
            ours == theirs, ours.isContainer
        else { return mergeWhole(trio) }
        var trio = trio
        if let base = trio.base, self[.base]?.nodes[base].kind != ours { trio.base = nil }
        if ours == .object { mergeObject(trio) } else { mergeArray(trio) }
    }

    /// The side to take as it is, where the bytes say so.
    private func unchangedSide(_ trio: JSONTrio, _ here: Int, _ there: Int) -> JSONVersion? {
        guard let ours = self[.here], let theirs = self[.there] else { return nil }
        let isEqual = ours.sameBytes(here, theirs, there)
        if isEqual, !hasCounters { return writer.hasStyle(.there) ? .there : .here }
        guard let base = trio.base, let document = self[.base] else {
            return isEqual && !hasCounters ? .here : nil
        }
        if document.sameBytes(base, ours, here) { return .there }
        return document.sameBytes(base, theirs, there) ? .here : nil
    }

    /// A scalar, or what is of different kinds: one side's, or a conflict.
    private mutating func mergeWhole(_ trio: JSONTrio) {
        let (ours, theirs) = (isChanged(trio, .here), isChanged(trio, .there))
        if ours != theirs { return write(trio, ours ? .here : .there) }
        if !ours || isSame(trio) { return writeLesser(trio) }
        let reason =
            trio.base == nil
            ? "Both sides added different values." : "Both sides changed it, to different values."
        resolve(trio, reason)
    }

    func isSame(_ trio: JSONTrio) -> Bool {
        guard let here = trio.here, let there = trio.there, let ours = self[.here],
            let theirs = self[.there]
        else { return false }
        return ours.sameValue(here, theirs, there)
    }

    /// Whether a side has another value than base.
    func isChanged(_ trio: JSONTrio, _ version: JSONVersion) -> Bool {
        guard let base = trio.base, let document = self[.base], let node = trio[version],
            let side = self[version]
        else { return true }
        return !document.sameValue(base, side, node)
    }

    /// Of two spellings of the same value, one that does not depend on the side.
    private mutating func writeLesser(_ trio: JSONTrio) {
        guard let ours = trio.here.flatMap({ self[.here]?.text($0) }),
            let theirs = trio.there.flatMap({ self[.there]?.text($0) })
        else { return }
        write(trio, ours.lexicographicallyPrecedes(theirs) ? .here : .there)
    }

    mutating func write(_ trio: JSONTrio, _ version: JSONVersion) {
        guard let node = trio[version] else { return }
        writer.writeValue(node, version, depth: place.tokens.count)
    }

    /// Takes the side that the user chose for conflicts, or declines.
    mutating func resolve(_ trio: JSONTrio, _ reason: String) {
        if let side = chosenSide { write(trio, side) } else { decline(reason) }
    }

    mutating func decline(_ reason: String) {
        guard conflicts.count < Self.mostConflicts else { return }
        conflicts.append(MergeConflict(place.pointer, reason))
    }

    var chosenSide: JSONVersion? {
        switch input.settings.fieldChoice {
        case nil: nil
        case .here: .here
        case .there: .there
        case .newest: newest
        case .oldest: newest?.other
        }
    }

    /// The side that was modified later; nil where the times are equal.
    var newest: JSONVersion? {
        guard input.hereModified != input.thereModified else { return nil }
        return input.hereModified > input.thereModified ? .here : .there
    }
}
