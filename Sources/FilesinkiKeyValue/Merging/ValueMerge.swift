import FilesinkiModel

/// The result of the merge of one key.
package enum MergeOutcome: Hashable, Sendable {
    /// Their value stays.
    case theirs
    /// Our value stays, and must be published.
    case ours
    /// A third value that combines both.
    case both(TypedValue, MergePolicy)
}

/// The three-way merge of one key: a pure function with the same value on every device.
package struct ValueMerge: Sendable {
    /// The value on which both sides last agreed.
    package var base: Register
    package var ours: Register
    package var theirs: Register
    /// Later times than this are not accepted: see ``HybridClock/horizon(_:)``.
    package var horizon: Int64

    package init(base: Register, ours: Register, theirs: Register, horizon: Int64 = .max) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.horizon = horizon
    }

    /// Whether both sides changed the value, each to another, so that a rule must decide.
    var isContested: Bool {
        !(ours == theirs || ours.hasSameContent(as: base) || theirs.hasSameContent(as: base)
            || ours.hasSameContent(as: theirs))
            && ours.value != nil && theirs.value != nil
    }

    /// Merges.
    package var outcome: MergeOutcome {
        // The same change again.
        if ours == theirs || ours.hasSameContent(as: base) { return .theirs }
        if theirs.hasSameContent(as: base) { return .ours }
        // Two steps of a counter count twice, also when they lead to one number.
        if ours.hasSameContent(as: theirs), ours.policy != .sum { return .theirs }
        return bothChanged
    }

    private var bothChanged: MergeOutcome {
        let policy = self.policy
        if policy == .newest || ours.value == nil && theirs.value == nil { return newest }
        // An edit survives a removal: these policies never lose a contribution.
        guard let ourValue = ours.value, let theirValue = theirs.value else {
            return ours.value == nil ? .theirs : .ours
        }
        guard let merged = merge(policy, ourValue, theirValue) else { return newest }
        if merged == theirValue, policy == theirs.policy { return .theirs }
        if merged == ourValue, policy == ours.policy { return .ours }
        return .both(merged, policy)
    }

    /// The policy of the newer side; any other policy wins over `newest`, the default.
    private var policy: MergePolicy {
        if ours.policy == theirs.policy { return ours.policy }
        if ours.policy == .newest { return theirs.policy }
        if theirs.policy == .newest { return ours.policy }
        return accepted(ours).isNewer(than: accepted(theirs)) ? ours.policy : theirs.policy
    }

    private var newest: MergeOutcome {
        accepted(ours).isNewer(than: accepted(theirs)) ? .ours : .theirs
    }

    /// Replaces a time too far ahead by the base's, or by the earliest time when the base's is not
    /// accepted either.
    private func accepted(_ held: Register) -> Register {
        var held = held
        if held.time > horizon { held.time = base.time > horizon ? .min : base.time }
        return held
    }

    private func merge(
        _ policy: MergePolicy, _ ourValue: TypedValue, _ theirValue: TypedValue
    ) -> TypedValue? {
        switch policy {
        case .newest: nil
        case .max, .min: ValueOrder.chosen(by: policy, ourValue, theirValue)
        case .sum: ValueSum.sum(base: base.value, ourValue, theirValue)
        case .union: union(ourValue, theirValue)
        }
    }

    /// Additions are in the order in which they were made, on every device.
    private func union(_ ourValue: TypedValue, _ theirValue: TypedValue) -> TypedValue? {
        let isOursNewer = accepted(ours).isNewer(than: accepted(theirs))
        return ValueUnion.union(
            base: base.value, older: isOursNewer ? theirValue : ourValue,
            newer: isOursNewer ? ourValue : theirValue)
    }
}

/// How a key is merged that was changed on two devices.
package enum MergePolicy: UInt8, CaseIterable, Sendable {
    /// The change that was made last.
    case newest = 0
    /// The greater value.
    case max = 1
    /// The smaller value.
    case min = 2
    /// The base plus both differences.
    case sum = 3
    /// An array or dictionary with the additions of both, and without the removals of either.
    case union = 4

    /// The policy's name in commands and JSON.
    package var name: String {
        switch self {
        case .newest: "newest"
        case .max: "max"
        case .min: "min"
        case .sum: "sum"
        case .union: "union"
        }
    }

    /// The policy of a name; nil for any other text.
    package init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}

/// The order of two values: of numbers, of dates, of texts by their bytes, and of truth values.
enum ValueOrder {
    /// The greater one for `max`, the smaller one for `min`; nil for other policies, and when the two
    /// cannot be compared.
    static func chosen(
        by policy: MergePolicy, _ left: TypedValue, _ right: TypedValue
    ) -> TypedValue? {
        switch policy {
        case .max: precedes(left, right).map { $0 ? right : left }
        case .min: precedes(left, right).map { $0 ? left : right }
        case .newest, .sum, .union: nil
        }
    }

    /// Nil when the two cannot be compared.
    static func precedes(_ left: TypedValue, _ right: TypedValue) -> Bool? {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.double(let left), .double(let right)): precedes(left, right)
        case (.integer(let whole), .double(let right)): precedes(whole, right)
        case (.double(let left), .integer(let whole)): !precedes(whole, left)
        case (.date(let left), .date(let right)): left < right
        case (.string(let left), .string(let right)), (.url(let left), .url(let right)):
            left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.bool(let left), .bool(let right)): !left && right
        default: nil
        }
    }

    /// −0.0 comes before 0.0, so that different numbers always have an order.
    private static func precedes(_ left: Double, _ right: Double) -> Bool {
        left == right ? left.sign == .minus && right.sign == .plus : left < right
    }

    /// Exact, which `Double(whole)` is not; of two equal numbers the whole one comes first.
    private static func precedes(_ whole: Int64, _ number: Double) -> Bool {
        if number >= 0x1p63 { return true }
        if number < -0x1p63 { return false }
        let floor = number.rounded(.down)
        let bound = Int64(floor)
        return whole < bound || whole == bound
    }
}

/// Adds what two devices have added to a number.
enum ValueSum {
    /// The base and both differences; held to what 64 bits can say. Nil for what are no numbers.
    static func sum(
        base: TypedValue?, _ left: TypedValue, _ right: TypedValue
    ) -> TypedValue? {
        let base = base ?? .integer(0)
        if case .integer(let base) = base, case .integer(let left) = left,
            case .integer(let right) = right
        {
            return .integer(sum(base, left, right))
        }
        guard let base = number(base), let left = number(left), let right = number(right) else {
            return nil
        }
        // In an order that does not depend on which side is which.
        let sum = left + right - base
        return sum.isNaN ? nil : .double(sum)
    }

    private static func sum(_ base: Int64, _ left: Int64, _ right: Int64) -> Int64 {
        // 128 bits hold every sum of three.
        let sum = Int128(left) + Int128(right) - Int128(base)
        return Int64(clamping: sum)
    }

    private static func number(_ value: TypedValue) -> Double? {
        switch value {
        case .integer(let whole): Double(whole)
        case .double(let number): number
        default: nil
        }
    }
}

/// Unites two arrays or two dictionaries that had a common base.
enum ValueUnion {
    /// Nil when the two are not both arrays or both dictionaries.
    static func union(
        base: TypedValue?, older: TypedValue, newer: TypedValue
    ) -> TypedValue? {
        switch (older, newer) {
        case (.array(let older), .array(let newer)):
            var former: [TypedValue] = []
            if case .array(let values) = base { former = values }
            return .array(union(former, older, newer))
        case (.dictionary(let older), .dictionary(let newer)):
            var former = ValueMembers([])
            if case .dictionary(let members) = base { former = members }
            return .dictionary(union(former, older, newer))
        default: return nil
        }
    }

    /// What neither has taken out of the base, in its order, then what the one and the other have
    /// added; each value once.
    private static func union(
        _ base: [TypedValue], _ older: [TypedValue], _ newer: [TypedValue]
    ) -> [TypedValue] {
        let (theirs, ours, former) = (Set(older), Set(newer), Set(base))
        let kept = base.filter { theirs.contains($0) && ours.contains($0) }
        let added = older.filter { !former.contains($0) } + newer.filter { !former.contains($0) }
        var seen: Set<TypedValue> = []
        return (kept + added).filter { seen.insert($0).inserted }
    }

    /// Each member three ways; where both have changed one, the newer side's.
    private static func union(
        _ base: ValueMembers, _ older: ValueMembers, _ newer: ValueMembers
    ) -> ValueMembers {
        var result: [(String, TypedValue)] = []
        for name in names([base, older, newer]) {
            let (former, left, right) = (base[name], older[name], newer[name])
            // An edit survives a removal.
            let value = right == former ? left : left == former ? right : right ?? left
            if let value { result.append((name, value)) }
        }
        return ValueMembers(result)
    }

    private static func names(_ all: [ValueMembers]) -> [String] {
        var seen: Set<[UInt8]> = []
        return all.flatMap { $0.map(\.name) }.filter { seen.insert(Array($0.utf8)).inserted }
    }
}
