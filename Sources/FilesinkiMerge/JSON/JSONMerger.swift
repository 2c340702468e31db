import FilesinkiModel
import FilesinkiText

/// The state of one merge of three documents.
struct JSONMerger {
    let documents: [JSONDocument?]
    let input: MergeInput
    var writer: JSONWriter
    var place = MergePlace()
    private(set) var conflicts: [MergeConflict] = []
    /// Whether a rule adds up equal changes.
    let hasCounters: Bool
    /// Whether equal values without a common version are added up, as outside of elements that both sides added alike.
    var addsEqualAdditions = true
    /// Whether lists that are sorted are not kept sorted.
    let keepsOrder: Bool
    let preferred: MergeVersion?

    private static let mostConflicts = 1000

    init(
        _ base: JSONDocument?, _ ours: JSONDocument, _ theirs: JSONDocument, _ input: MergeInput,
        keepsOrder: Bool
    ) {
        self.keepsOrder = keepsOrder
        documents = [base, ours, theirs]
        self.input = input
        writer = JSONWriter(base: base, ours: ours, theirs: theirs)
        hasCounters = input.settings.fields.contains { $0.resolution == .sum }
        let isOurs = writer.hasStyle(.ours)
        preferred = isOurs == writer.hasStyle(.theirs) ? nil : isOurs ? .ours : .theirs
    }

    subscript(version: MergeVersion) -> JSONDocument? { documents[version.rawValue] }

    mutating func merge() -> MergeOutcome {
        writeMargin { $0.slice(0..<$0.nodes[0].value.lowerBound) }
        mergeValue(MergeTrio(base: documents[0] == nil ? nil : 0, ours: 0, theirs: 0))
        writeMargin { $0.slice($0.nodes[0].value.upperBound..<Int32($0.bytes.count)) }
        return conflicts.isEmpty ? .merged(writer.output) : .declined(conflicts)
    }

    /// Merges the bytes before or behind the root.
    private mutating func writeMargin(_ margin: (JSONDocument) -> ArraySlice<UInt8>) {
        guard let ours = self[.ours].map(margin), let theirs = self[.theirs].map(margin) else {
            return
        }
        let base = self[.base].map(margin)
        if ours == theirs || base == theirs { return writer.write(ours) }
        if base == ours { return writer.write(theirs) }
        writer.write(ours.lexicographicallyPrecedes(theirs) ? ours : theirs)
    }

    /// Writes a value that both sides have.
    mutating func mergeValue(_ trio: MergeTrio<Int>) {
        guard let ours = trio.ours, let theirs = trio.theirs else { return }
        if let side = unchangedSide(trio, ours, theirs) {
            if input.trace != nil { noteUnchanged(trio, side) }
            return writer.writeValue(trio[side] ?? ours, side, depth: place.tokens.count)
        }
        if let rule = rule(), apply(rule, trio) { return }
        guard let ourKind = self[.ours]?.nodes[ours].kind,
            let theirKind = self[.theirs]?.nodes[theirs].kind,
            ourKind == theirKind, ourKind.isContainer
        else { return mergeWhole(trio) }
        var trio = trio
        if let base = trio.base, self[.base]?.nodes[base].kind != ourKind { trio.base = nil }
        if ourKind == .object { mergeObject(trio) } else { mergeArray(trio) }
    }

    /// The side that is copied unchanged; nil when the value must be merged.
    private func unchangedSide(_ trio: MergeTrio<Int>, _ ours: Int, _ theirs: Int) -> MergeVersion?
    {
        guard let ourDocument = self[.ours], let theirDocument = self[.theirs] else { return nil }
        let isEqual = ourDocument.sameBytes(ours, theirDocument, theirs)
        if isEqual, !hasCounters { return writer.hasStyle(.theirs) ? .theirs : .ours }
        guard let base = trio.base, let document = self[.base] else {
            return isEqual && !hasCounters ? .ours : nil
        }
        if document.sameBytes(base, ourDocument, ours) { return .theirs }
        guard document.sameBytes(base, theirDocument, theirs) else { return nil }
        // A comparison looks for the members and elements that differ.
        let kind = ourDocument.nodes[ours].kind
        let looksInside =
            input.isComparison && kind.isContainer && kind == document.nodes[base].kind
        return looksInside ? nil : .ours
    }

    /// A scalar, or what is of different kinds: one side's, or a conflict.
    private mutating func mergeWhole(_ trio: MergeTrio<Int>) {
        let (ours, theirs) = (isChanged(trio, .ours), isChanged(trio, .theirs))
        if ours != theirs {
            input.trace?.add(place, ours ? .ours : .theirs, .edited)
            return write(trio, ours ? .ours : .theirs)
        }
        if !ours || isSame(trio) {
            if ours { input.trace?.add(place.pointer, .both, .alike) }
            return writeLesser(trio)
        }
        let reason =
            trio.base == nil
            ? "Both sides added different values." : "Both sides changed it, to different values."
        resolve(trio, reason)
    }

    func isSame(_ trio: MergeTrio<Int>) -> Bool {
        guard let ours = trio.ours, let theirs = trio.theirs, let ourDocument = self[.ours],
            let theirDocument = self[.theirs]
        else { return false }
        return ourDocument.sameValue(ours, theirDocument, theirs)
    }

    /// Whether a side has another value than base.
    func isChanged(_ trio: MergeTrio<Int>, _ version: MergeVersion) -> Bool {
        guard let base = trio.base, let document = self[.base], let node = trio[version],
            let side = self[version]
        else { return true }
        return !document.sameValue(base, side, node)
    }

    /// Writes the lesser of two spellings of the same value, so that both devices write the same.
    private mutating func writeLesser(_ trio: MergeTrio<Int>) {
        guard let ours = trio.ours.flatMap({ self[.ours]?.text($0) }),
            let theirs = trio.theirs.flatMap({ self[.theirs]?.text($0) })
        else { return }
        write(trio, ours.lexicographicallyPrecedes(theirs) ? .ours : .theirs)
    }

    mutating func write(_ trio: MergeTrio<Int>, _ version: MergeVersion) {
        guard let node = trio[version] else { return }
        writer.writeValue(node, version, depth: place.tokens.count)
    }

    /// Takes the side whose version conflicts have, or declines.
    mutating func resolve(_ trio: MergeTrio<Int>, _ reason: String) {
        guard let side = input.conflictSide else { return decline(reason) }
        input.trace?.add(place, side, .fieldChoice)
        write(trio, side)
    }

    mutating func decline(_ reason: String) {
        guard conflicts.count < Self.mostConflicts else { return }
        conflicts.append(MergeConflict(place.pointer, reason))
    }

    // MARK: The user's rules

    /// The first rule for this place.
    func rule() -> FieldRule.Resolution? {
        guard !input.settings.fields.isEmpty else { return nil }
        let place = place.texts
        return input.settings.fields.first { $0.pattern.matches(place) }?.resolution
    }

    /// - Returns: Whether the rule decided; a decline counts.
    mutating func apply(_ rule: FieldRule.Resolution, _ trio: MergeTrio<Int>) -> Bool {
        guard isChanged(trio, .ours), isChanged(trio, .theirs) else { return false }
        let isAdded = trio.base == nil && !addsEqualAdditions
        guard rule == .sum && !isAdded || !isSame(trio) else { return false }
        switch rule {
        case .sum: writeSum(trio)
        case .max, .min: writeExtreme(trio, rule)
        case .maxVersion:
            guard let isNewer = oursIsNewer(trio) else {
                resolve(trio, VersionText.reason)
                break
            }
            write(trio, isNewer ? .ours : .theirs, by: rule)
        case .union: return writeUnion(trio)
        case .newest:
            if let newest = input.newest {
                write(trio, newest, by: rule)
            } else {
                resolve(trio, "Both sides changed it at the same time.")
            }
        }
        return true
    }

    private mutating func write(
        _ trio: MergeTrio<Int>, _ side: MergeVersion, by rule: FieldRule.Resolution
    ) {
        input.trace?.add(place, side, .rule(rule))
        write(trio, side)
    }

    /// Whether ours is the newer version; nil where neither is.
    private func oursIsNewer(_ trio: MergeTrio<Int>) -> Bool? {
        guard let ours = trio.ours, let theirs = trio.theirs, let ourDocument = self[.ours],
            let theirDocument = self[.theirs], ourDocument.nodes[ours].kind == .string,
            theirDocument.nodes[theirs].kind == .string
        else { return nil }
        return VersionText.isNewer(ourDocument.plainText(ours), theirDocument.plainText(theirs))
    }

    private mutating func writeExtreme(_ trio: MergeTrio<Int>, _ rule: FieldRule.Resolution) {
        guard let ours = trio.ours, let theirs = trio.theirs, let ourDocument = self[.ours],
            let theirDocument = self[.theirs],
            let order = JSONComparison.compare(ourDocument, ours, theirDocument, theirs)
        else {
            return resolve(trio, "Neither value is the greater one: they are of different kinds.")
        }
        write(trio, (order == .greater) == (rule == .max) ? .ours : .theirs, by: rule)
    }

    private mutating func writeSum(_ trio: MergeTrio<Int>) {
        guard let result = sum(trio) else {
            return resolve(trio, "One of the versions is not a number that can be added.")
        }
        input.trace?.add(place.pointer, .both, .rule(.sum))
        writer.write(result)
    }

    /// Base and both differences; what base does not have counts as 0.
    private func sum(_ trio: MergeTrio<Int>) -> [UInt8]? {
        guard let ours = trio.ours.flatMap({ self[.ours]?.decimal($0) }),
            let theirs = trio.theirs.flatMap({ self[.theirs]?.decimal($0) })
        else { return nil }
        let both = ours.adding(theirs)
        guard let base = trio.base, let document = self[.base] else {
            return both?.written(fraction: 0)
        }
        guard let value = document.decimal(base) else { return nil }
        return both?.adding(-value)?.written(fraction: 0)
    }

    /// - Returns: false where they are no arrays.
    private mutating func writeUnion(_ trio: MergeTrio<Int>) -> Bool {
        var trio = trio
        let kinds = MergeVersion.allCases.map { version in
            trio[version].flatMap { self[version]?.nodes[$0].kind }
        }
        guard kinds[1] == .array, kinds[2] == .array else { return false }
        if kinds[0] != .array { trio.base = nil }
        let layouts = layouts(trio).map { $0?.distinct() }
        guard let match = JSONMatch(.value, documents, layouts) else { return false }
        mergeThings(trio, match, layouts)
        return true
    }
}
