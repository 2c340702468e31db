/// The texts of a simulation: who has them, and which of their units users added and removed.
struct TextLedger {
    /// Every text that was on a disk, by its value.
    private var texts: [HeldValue: SimulatedText] = [:]
    private var added: Set<String> = []
    private var removed: Set<String> = []
    /// The texts of each replica after its last run for everything in which nothing happened: the base of its next
    /// merges. None after any other run.
    private var agreed: [Int: [String: HeldValue]] = [:]
    /// Whether what merges have to come to is known: versions have their names, and bases are in the store.
    private(set) var isPredictable = true

    /// Units that users added and none removed.
    var unfinished: Set<String> { added.subtracting(removed) }

    func text(_ value: HeldValue?) -> SimulatedText? { value.flatMap { texts[$0] } }

    func units(_ values: Set<HeldValue>) -> Set<String> {
        Set(values.flatMap { texts[$0]?.units ?? [] })
    }

    /// Learns the texts of a disk.
    mutating func learn(_ tree: TreeFixture) {
        for case .bytes(let bytes, let mode, _) in tree.flat.values {
            guard let text = SimulatedText(bytes) else { continue }
            HeldValue(.bytes(bytes, mode: mode, modified: nil)).map { texts[$0] = text }
        }
    }

    /// Records what a user changed on a disk.
    mutating func record(
        _ before: Set<Placement>, _ after: Set<Placement>, isRename: Bool
    ) {
        let (old, new) = (units(Set(before.map(\.value))), units(Set(after.map(\.value))))
        added.formUnion(new.subtracting(old))
        removed.formUnion(old.subtracting(new))
        guard !isRename else { return }
        let present = Dictionary(after.map { ($0.path, $0.value) }) { first, _ in first }
        for placement in before {
            let units = Set(text(placement.value)?.units ?? [])
            removed.formUnion(units.subtracting(text(present[placement.path])?.units ?? []))
        }
    }

    /// Records values that a user saved through filesinki.
    mutating func record(saved value: HeldValue, _ bytes: [UInt8]) {
        guard let text = SimulatedText(bytes) else { return }
        texts[value] = text
        added.formUnion(text.units)
    }

    /// Records that users removed values with all that they contain.
    mutating func finish(_ values: Set<HeldValue>) { removed.formUnion(units(values)) }

    /// Whether a value can be the merge of what users wrote.
    func isMerge(_ value: HeldValue) -> Bool {
        guard let text = texts[value], text.isWhole else { return false }
        return added.isSuperset(of: text.units)
    }

    /// Whether all of a value that no user removed is in some units.
    func isContained(_ value: HeldValue, in units: Set<String>) -> Bool {
        guard let text = texts[value] else { return false }
        return text.units.allSatisfy { units.contains($0) || removed.contains($0) }
    }

    // MARK: - Merges

    /// From now on bases may be missing, or versions have other names.
    mutating func losesPrediction() { isPredictable = false }

    /// The texts that a replica and the store had in common.
    func base(_ replica: Int) -> [String: HeldValue] { agreed[replica] ?? [:] }

    /// - Parameter isLeftOut: Whether the replica leaves out a path; it has no base then.
    mutating func agree(
        _ replica: Int, on tree: TreeFixture?, except isLeftOut: (String) -> Bool = { _ in false }
    ) {
        agreed[replica] = tree.map { tree in
            let known = tree.placements.filter { texts[$0.value] != nil && !isLeftOut($0.path) }
            return Dictionary(known.map { ($0.path, $0.value) }) { first, _ in first }
        }
    }
}
