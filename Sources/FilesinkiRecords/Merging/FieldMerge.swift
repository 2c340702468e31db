/// The three-way merge of one field: a pure function with the same value on every device.
struct FieldMerge {
    /// A field on one side, and when it was changed.
    struct Side {
        /// Nil when the side does not have the field.
        var value: FieldValue?
        var stamp: Stamp
    }

    enum Outcome {
        case theirs, ours
        /// A third value, with the newer stamp.
        case both(Field)
        case ask
    }

    let base: FieldValue?
    let ours: Side
    let theirs: Side
    let rule: FieldRule

    var outcome: Outcome {
        if ours.value == theirs.value, !isCountedTwice || ours.value == base { return .theirs }
        if ours.value == base { return .theirs }
        if theirs.value == base { return .ours }
        switch rule {
        case .newest: return newest
        case .ask: return .ask
        case .max, .min, .sum, .union: return combined
        }
    }

    /// Two steps of a counter count twice, also when they lead to one number. The same step has one stamp.
    private var isCountedTwice: Bool { rule == .sum && ours.stamp != theirs.stamp }

    private var combined: Outcome {
        // An edit survives a removal: these rules never lose a contribution.
        guard let ourValue = ours.value, let theirValue = theirs.value else {
            return ours.value == nil ? .theirs : .ours
        }
        guard let merged = merged(ourValue, theirValue) else { return newest }
        if merged == theirValue { return .theirs }
        if merged == ourValue { return .ours }
        return .both(Field(merged, max(ours.stamp, theirs.stamp)))
    }

    private func merged(_ ourValue: FieldValue, _ theirValue: FieldValue) -> FieldValue? {
        switch rule {
        case .max: FieldOrder.precedes(ourValue, theirValue).map { $0 ? theirValue : ourValue }
        case .min: FieldOrder.precedes(ourValue, theirValue).map { $0 ? ourValue : theirValue }
        case .sum: FieldSum.sum(base: base, ourValue, theirValue)
        case .union:
            isOursNewer
                ? FieldUnion.union(base: base, older: theirValue, newer: ourValue)
                : FieldUnion.union(base: base, older: ourValue, newer: theirValue)
        case .newest, .ask: nil
        }
    }

    private var newest: Outcome { isOursNewer ? .ours : .theirs }

    /// Of two changes at the same moment a value is newer than a removal, and the greater device than the
    /// smaller; where even that is the same, the bytes of the value decide.
    private var isOursNewer: Bool {
        if ours.stamp.time != theirs.stamp.time { return ours.stamp.time > theirs.stamp.time }
        guard let ourValue = ours.value, let theirValue = theirs.value else {
            return ours.value != nil
        }
        if ours.stamp != theirs.stamp { return ours.stamp > theirs.stamp }
        return FieldCoder.encode(theirValue).lexicographicallyPrecedes(FieldCoder.encode(ourValue))
    }
}

/// The order of two values of one type: of numbers, of dates, and of texts by their bytes.
enum FieldOrder {
    /// Nil when the two cannot be compared.
    static func precedes(_ left: FieldValue, _ right: FieldValue) -> Bool? {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.double(let left), .double(let right)): precedes(left, right)
        case (.date(let left), .date(let right)): left < right
        case (.string(let left), .string(let right)):
            left.utf8.lexicographicallyPrecedes(right.utf8)
        default: nil
        }
    }

    /// −0.0 comes before 0.0, so that different numbers always have an order.
    private static func precedes(_ left: Double, _ right: Double) -> Bool {
        left == right ? left.sign == .minus && right.sign == .plus : left < right
    }
}

/// Adds what two sides have added to a number.
enum FieldSum {
    /// The base and both differences; held to what 64 bits can say. Without a base they begin at 0. Nil for
    /// what are not numbers of one type.
    static func sum(base: FieldValue?, _ left: FieldValue, _ right: FieldValue) -> FieldValue? {
        switch (base, left, right) {
        case (nil, .integer(let left), .integer(let right)): .integer(sum(0, left, right))
        case (.integer(let base), .integer(let left), .integer(let right)):
            .integer(sum(base, left, right))
        case (nil, .double(let left), .double(let right)): number(left + right)
        case (.double(let base), .double(let left), .double(let right)):
            number(left + right - base)
        default: nil
        }
    }

    private static func sum(_ base: Int64, _ left: Int64, _ right: Int64) -> Int64 {
        // 128 bits hold every sum of three.
        Int64(clamping: Int128(left) + Int128(right) - Int128(base))
    }

    private static func number(_ sum: Double) -> FieldValue? { sum.isNaN ? nil : .double(sum) }
}

/// Unites two lists that had a common base.
enum FieldUnion {
    /// What neither has taken out of the base, in its order, then what the one and the other have added;
    /// each element once. Nil for what are not lists of one type.
    static func union(base: FieldValue?, older: FieldValue, newer: FieldValue) -> FieldValue? {
        guard case .list(let older) = older, case .list(let newer) = newer,
            older.elementType == newer.elementType
        else { return nil }
        var former: [FieldValue] = []
        if case .list(let list) = base { former = list.elements }
        let elements = union(former, older.elements, newer.elements)
        return (try? FieldList(elements, of: older.elementType)).map(FieldValue.list)
    }

    private static func union(
        _ base: [FieldValue], _ older: [FieldValue], _ newer: [FieldValue]
    ) -> [FieldValue] {
        let (theirs, ours, former) = (Set(older), Set(newer), Set(base))
        let kept = base.filter { theirs.contains($0) && ours.contains($0) }
        let added = older.filter { !former.contains($0) } + newer.filter { !former.contains($0) }
        var seen: Set<FieldValue> = []
        return (kept + added).filter { seen.insert($0).inserted }
    }
}
