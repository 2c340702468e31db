internal import FilesinkiModel

/// What came of two changes of one key.
package enum MergeOutcome: Hashable, Sendable {
    /// What is there is right, also here.
    case there
    /// What is here is right, and has to be published.
    case here
    /// A third value that holds both.
    case both(TypedValue, MergePolicy)
}

/// Merges one key, three ways. A pure function: which device merges makes no difference to the value.
package struct ValueMerge: Sendable {
    /// What both sides last agreed on.
    package var base: Register
    package var here: Register
    package var there: Register
    /// Later times than this are not believed: see ``HybridClock/horizon(_:)``.
    package var horizon: Int64

    package init(base: Register, here: Register, there: Register, horizon: Int64 = .max) {
        self.base = base
        self.here = here
        self.there = there
        self.horizon = horizon
    }

    /// Whether both sides hold values that were set apart, so that a rule has to decide.
    var isContested: Bool {
        !(here == there || here.says(base) || there.says(base) || here.says(there))
            && here.value != nil && there.value != nil
    }

    /// Decides.
    package var outcome: MergeOutcome {
        // The very same change, met again.
        if here == there || here.says(base) { return .there }
        if there.says(base) { return .here }
        // Two steps of a counter count twice, also when they lead to one number.
        if here.says(there), here.policy != .sum { return .there }
        return bothChanged
    }

    private var bothChanged: MergeOutcome {
        let policy = self.policy
        if policy == .newest || here.value == nil && there.value == nil { return newest }
        // An edit survives a removal: these policies never lose a contribution.
        guard let mine = here.value, let theirs = there.value else {
            return here.value == nil ? .there : .here
        }
        guard let merged = merge(policy, mine, theirs) else { return newest }
        if merged == theirs, policy == there.policy { return .there }
        if merged == mine, policy == here.policy { return .here }
        return .both(merged, policy)
    }

    /// The policy of the newer side; but one that somebody chose wins over the usual one.
    private var policy: MergePolicy {
        if here.policy == there.policy { return here.policy }
        if here.policy == .newest { return there.policy }
        if there.policy == .newest { return here.policy }
        return believed(here).isNewer(than: believed(there)) ? here.policy : there.policy
    }

    private var newest: MergeOutcome {
        believed(here).isNewer(than: believed(there)) ? .here : .there
    }

    /// A time too far ahead says nothing but that the change came after the base; where the base's is
    /// not to be believed either, it says nothing at all.
    private func believed(_ held: Register) -> Register {
        var held = held
        if held.time > horizon { held.time = base.time > horizon ? .min : base.time }
        return held
    }

    private func merge(
        _ policy: MergePolicy, _ mine: TypedValue, _ theirs: TypedValue
    ) -> TypedValue? {
        switch policy {
        case .newest: nil
        case .max, .min: ValueOrder.chosen(by: policy, mine, theirs)
        case .sum: ValueSum.sum(base: base.value, mine, theirs)
        case .union: union(mine, theirs)
        }
    }

    /// Additions stand in the order in which they were made, whoever merges them.
    private func union(_ mine: TypedValue, _ theirs: TypedValue) -> TypedValue? {
        let isMineNewer = believed(here).isNewer(than: believed(there))
        return ValueUnion.union(
            base: base.value, older: isMineNewer ? theirs : mine,
            newer: isMineNewer ? mine : theirs)
    }
}
