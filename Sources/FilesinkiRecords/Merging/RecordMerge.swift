/// The result of the merge of one record.
package struct RecordMergeResult: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        /// Their record stays; nil, if they deleted it.
        case theirs
        /// Our record stays, and must be published; nil, if we deleted it.
        case ours
        /// A third record, with the later of both modification stamps. It may exceed the limits of a save.
        case both(Record)
        /// Nothing is saved. The fields that somebody has to decide about, in the order of their names; none, if
        /// the sides differ in something else.
        case conflict([FieldConflict])
    }

    package var outcome: Outcome
    /// The values that gave way to others, in the order of their names.
    package var superseded: [SupersededField] = []
}

/// A field that both sides changed, and what each has.
package struct FieldConflict: Hashable, Sendable {
    package let name: FieldName
    /// Nil, here and below, when the side does not have the field.
    package let base: FieldValue?
    package let ours: FieldValue?
    package let theirs: FieldValue?
}

/// A value that a side had set since the base, and that is not in the result.
package struct SupersededField: Hashable, Sendable {
    /// Whose value it was.
    package enum Side: Hashable, Sendable { case ours, theirs }

    package let name: FieldName
    package let field: Field
    package let side: Side
}

/// The three-way merge of one record: a pure function with the same contents on every device.
///
/// Under ``SavePolicy/merge``, and without a field of the rule `ask`, the contents of the result do not depend
/// on which side is which.
package struct RecordMerge {
    /// The record on which both sides last agreed; nil, here and below, when there was or is none.
    package let base: Record?
    package let ours: Record?
    package let theirs: Record?
    package let policy: SavePolicy
    /// Later times than this are not accepted: they count as the base's, or as before all others.
    package let horizon: Int64
    /// The rule of a field.
    package let rules: (FieldName) -> FieldRule

    package init(
        base: Record?, ours: Record?, theirs: Record?, policy: SavePolicy = .merge,
        horizon: Int64 = .max, rules: @escaping (FieldName) -> FieldRule = { _ in .newest }
    ) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.policy = policy
        self.horizon = horizon
        self.rules = rules
    }

    /// Merges.
    package var result: RecordMergeResult {
        if ours == theirs || ours == base { return RecordMergeResult(outcome: .theirs) }
        if policy == .unchanged { return unchanged }
        // A save that changes nothing asks for all of its fields all the same.
        if policy != .allKeys, Self.hasSameContents(ours, base) {
            return RecordMergeResult(outcome: .theirs)
        }
        if Self.hasSameContents(theirs, base) { return RecordMergeResult(outcome: .ours) }
        guard let ours, let theirs else { return editAgainstDeletion }
        switch policy {
        case .merge, .unchanged: return merged(ours, theirs)
        case .changedKeys: return chosen(ours, theirs) { base?[$0] != ours[$0] }
        case .allKeys: return chosen(ours, theirs) { ours[$0] != nil || base?[$0] != nil }
        }
    }

    private static func hasSameContents(_ left: Record?, _ right: Record?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.hasSameContents(as: right)
    }

    // MARK: - Policies

    private var unchanged: RecordMergeResult {
        if theirs == base { return RecordMergeResult(outcome: .ours) }
        let changed = names.filter { theirs?.fields[$0] != base?.fields[$0] }
        return RecordMergeResult(outcome: .conflict(changed.map(conflict)))
    }

    /// One side deleted the record, the other changed it or made it.
    private var editAgainstDeletion: RecordMergeResult {
        guard ours == nil else { return RecordMergeResult(outcome: .ours) }
        guard policy == .allKeys else { return RecordMergeResult(outcome: .theirs) }
        return RecordMergeResult(
            outcome: .ours, superseded: names.compactMap { supersededField($0, .theirs) })
    }

    /// Their record with the fields of ours that are chosen, and without those that ours lacks.
    private func chosen(
        _ ours: Record, _ theirs: Record, _ isOurs: (FieldName) -> Bool
    ) -> RecordMergeResult {
        var record = frame(ours, theirs)
        if policy == .changedKeys, ours.type == base?.type { record.type = theirs.type }
        var superseded: [SupersededField] = []
        for name in names {
            record.copy(name, isOurs(name) ? ours.fields[name] : theirs.fields[name])
            if theirs[name] != record[name] { add(name, .theirs, to: &superseded) }
        }
        return result(record, superseded)
    }

    private func merged(_ ours: Record, _ theirs: Record) -> RecordMergeResult {
        if ours.type != theirs.type, ours.type != base?.type, theirs.type != base?.type {
            return newerRecord(ours, theirs)
        }
        var record = frame(ours, theirs)
        if ours.type == base?.type { record.type = theirs.type }
        var conflicts: [FieldConflict] = []
        var superseded: [SupersededField] = []
        for name in names {
            switch merge(name, ours, theirs) {
            case .theirs:
                record.copy(name, theirs.fields[name])
                if ours[name] != theirs[name] { add(name, .ours, to: &superseded) }
            case .ours:
                record.copy(name, ours.fields[name])
                add(name, .theirs, to: &superseded)
            case .both(let field): record.copy(name, field)
            case .ask: conflicts.append(conflict(name))
            }
        }
        if !conflicts.isEmpty { return RecordMergeResult(outcome: .conflict(conflicts)) }
        return result(record, superseded)
    }

    /// Both sides gave the record a type of their own: their fields do not belong together.
    private func newerRecord(_ ours: Record, _ theirs: Record) -> RecordMergeResult {
        let (our, their) = (
            accepted(ours.modified, base?.modified), accepted(theirs.modified, base?.modified)
        )
        let isOurs = our == their ? ours.type > theirs.type : our > their
        let loser = isOurs ? SupersededField.Side.theirs : .ours
        return RecordMergeResult(
            outcome: isOurs ? .ours : .theirs,
            superseded: names.compactMap { supersededField($0, loser) })
    }

    // MARK: - Fields

    /// The names of all fields of the three records, in order.
    private var names: [FieldName] {
        let all = [base, ours, theirs].compactMap { $0?.fields.keys }
        return all.reduce(into: Set<FieldName>()) { $0.formUnion($1) }.sorted()
    }

    private func merge(_ name: FieldName, _ ours: Record, _ theirs: Record) -> FieldMerge.Outcome {
        FieldMerge(
            base: base?[name], ours: side(name, ours), theirs: side(name, theirs),
            rule: rules(name)
        ).outcome
    }

    /// A record does not have a stamp for what it lacks: a removal is as old as the record's last change.
    private func side(_ name: FieldName, _ record: Record) -> FieldMerge.Side {
        guard let field = record.fields[name] else {
            return FieldMerge.Side(
                value: nil, stamp: accepted(record.modified, base?.modified))
        }
        return FieldMerge.Side(
            value: field.value, stamp: accepted(field.stamp, base?.fields[name]?.stamp))
    }

    /// Replaces a time too far ahead by the base's, or by the earliest time when the base's is not accepted
    /// either.
    private func accepted(_ stamp: Stamp, _ base: Stamp?) -> Stamp {
        guard stamp.time > horizon else { return stamp }
        let time = base?.time ?? .min
        return stamp.at(time > horizon ? .min : time)
    }

    private func conflict(_ name: FieldName) -> FieldConflict {
        FieldConflict(
            name: name, base: base?[name], ours: ours?[name], theirs: theirs?[name])
    }

    /// What a side has set since the base; nil when it did not, or removed the field.
    private func supersededField(
        _ name: FieldName, _ side: SupersededField.Side
    ) -> SupersededField? {
        let record = side == .ours ? ours : theirs
        guard let field = record?.fields[name], field.value != base?[name] else { return nil }
        return SupersededField(name: name, field: field, side: side)
    }

    private func add(
        _ name: FieldName, _ side: SupersededField.Side, to superseded: inout [SupersededField]
    ) {
        if let field = supersededField(name, side) { superseded.append(field) }
    }

    // MARK: - The result

    /// A record without fields: created first, and changed last.
    private func frame(_ ours: Record, _ theirs: Record) -> Record {
        Record(
            ours.name, ours.type, created: base?.created ?? min(ours.created, theirs.created),
            modified: max(ours.modified, theirs.modified))
    }

    private func result(
        _ record: Record, _ superseded: [SupersededField]
    ) -> RecordMergeResult {
        let outcome: RecordMergeResult.Outcome =
            if let theirs, record.hasSameContents(as: theirs) {
                .theirs
            } else if let ours, record.hasSameContents(as: ours) {
                .ours
            } else {
                .both(record)
            }
        return RecordMergeResult(outcome: outcome, superseded: superseded)
    }
}
