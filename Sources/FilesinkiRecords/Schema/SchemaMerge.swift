/// The three-way merge of two schemas: a pure function with the same value on every device, whichever side
/// is which.
package struct SchemaMerge {
    /// A field that both sides gave a type, each another one.
    package struct Clash: Hashable, Sendable {
        package let type: RecordType
        package let name: FieldName
        /// The type that the field has in the result: the lesser one.
        package let kept: FieldType
        /// The type of the values that some records may have already.
        package let dropped: FieldType
    }

    /// What both sides added and changed.
    package let schema: Schema
    /// In the order of types and names.
    package let clashes: [Clash]

    package init(base: Schema, ours: Schema, theirs: Schema) {
        var schema = Schema()
        var clashes: [Clash] = []
        schema.isLocked = Self.merged(base.isLocked, ours.isLocked, theirs.isLocked)
        for type in Self.names(base.types, ours.types, theirs.types) {
            let (former, left, right) = (base.types[type], ours.types[type], theirs.types[type])
            var fields: [FieldName: FieldSchema] = [:]
            for name in Self.names(former ?? [:], left ?? [:], right ?? [:]) {
                let merged = Self.merged(former?[name], left?[name], right?[name])
                fields[name] = merged.field
                if let dropped = merged.dropped, let kept = merged.field?.type {
                    clashes.append(Clash(type: type, name: name, kept: kept, dropped: dropped))
                }
            }
            let isRemoved = former != nil && (left == nil || right == nil) && fields.isEmpty
            if !isRemoved { schema.types[type] = fields }
        }
        self.schema = schema
        self.clashes = clashes
    }

    private static func names<Name: Hashable & Comparable, Value>(
        _ all: [Name: Value]...
    ) -> [Name] {
        all.reduce(into: Set<Name>()) { $0.formUnion($1.keys) }.sorted()
    }

    private static func merged<Value: Equatable>(
        _ base: Value, _ ours: Value, _ theirs: Value
    ) -> Value {
        ours == base ? theirs : ours
    }

    /// A field, and the type that gave way. A change survives a removal.
    private static func merged(
        _ base: FieldSchema?, _ ours: FieldSchema?, _ theirs: FieldSchema?
    ) -> (field: FieldSchema?, dropped: FieldType?) {
        if ours == base { return (theirs, nil) }
        if theirs == base || ours == theirs { return (ours, nil) }
        guard let ours, let theirs else { return (ours ?? theirs, nil) }
        let isContested =
            ours.type != theirs.type && ours.type != base?.type && theirs.type != base?.type
        let type =
            isContested
            ? min(ours.type, theirs.type) : merged(base?.type, ours.type, theirs.type) ?? ours.type
        let field = FieldSchema(
            type, indexes: indexes(base?.indexes ?? [], ours.indexes, theirs.indexes),
            rule: rule(base?.rule, ours.rule, theirs.rule))
        return (field.fitting, isContested ? max(ours.type, theirs.type) : nil)
    }

    /// Each flag three ways.
    private static func indexes(
        _ base: FieldIndexes, _ ours: FieldIndexes, _ theirs: FieldIndexes
    ) -> FieldIndexes {
        let changed = ours.symmetricDifference(base).union(theirs.symmetricDifference(base))
        return base.symmetricDifference(changed)
    }

    /// Of two changes the one that is not the default wins, then the first in the order of rules.
    private static func rule(
        _ base: FieldRule?, _ ours: FieldRule, _ theirs: FieldRule
    ) -> FieldRule {
        if ours == theirs || theirs == base { return ours }
        if ours == base { return theirs }
        return [ours, theirs].filter { $0 != .newest }.min { $0.rawValue < $1.rawValue } ?? .newest
    }
}
