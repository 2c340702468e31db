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
        let (there, here, former) = (Set(older), Set(newer), Set(base))
        let kept = base.filter { there.contains($0) && here.contains($0) }
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
