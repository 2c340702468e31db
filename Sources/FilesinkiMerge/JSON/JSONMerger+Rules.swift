import FilesinkiModel

/// What the user's rules make of a field that both sides changed.
extension JSONMerger {
    /// The first rule for this place.
    func rule() -> FieldRule.Resolution? {
        guard !input.settings.fields.isEmpty else { return nil }
        let place = place.texts
        return input.settings.fields.first { $0.pattern.matches(place) }?.resolution
    }

    /// Whether the rule decided, be it that it declined.
    mutating func apply(_ rule: FieldRule.Resolution, _ trio: JSONTrio) -> Bool {
        guard isChanged(trio, .here), isChanged(trio, .there) else { return false }
        guard rule == .sum || !isSame(trio) else { return false }
        switch rule {
        case .sum: writeSum(trio)
        case .max, .min: writeExtreme(trio, rule)
        case .union: return writeUnion(trio)
        case .newest:
            if let newest {
                write(trio, newest)
            } else {
                resolve(trio, "Both sides changed it at the same time.")
            }
        }
        return true
    }

    private mutating func writeExtreme(_ trio: JSONTrio, _ rule: FieldRule.Resolution) {
        guard let here = trio.here, let there = trio.there, let ours = self[.here],
            let theirs = self[.there],
            let order = JSONComparison.compare(ours, here, theirs, there)
        else {
            return resolve(trio, "Neither value is the greater one: they are of different kinds.")
        }
        write(trio, (order == .greater) == (rule == .max) ? .here : .there)
    }

    private mutating func writeSum(_ trio: JSONTrio) {
        guard let result = sum(trio) else {
            return resolve(trio, "Not all versions have a number that can be added up.")
        }
        writer.write(result)
    }

    /// Base and both differences; what base does not have counts as 0.
    private func sum(_ trio: JSONTrio) -> [UInt8]? {
        guard let ours = trio.here.flatMap({ self[.here]?.decimal($0) }),
            let theirs = trio.there.flatMap({ self[.there]?.decimal($0) })
        else { return nil }
        let both = ours.adding(theirs)
        guard let base = trio.base, let document = self[.base] else {
            return both?.written(fraction: 0)
        }
        guard let value = document.decimal(base) else { return nil }
        return both?.adding(-value)?.written(fraction: 0)
    }

    /// - Returns: false where they are no arrays.
    private mutating func writeUnion(_ trio: JSONTrio) -> Bool {
        var trio = trio
        let kinds = JSONVersion.allCases.map { version in
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
