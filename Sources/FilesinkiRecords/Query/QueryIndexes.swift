package import FilesinkiModel

/// What CloudKit requires of a schema before it answers a query. Here indexes are speed only, so nothing else asks
/// for them.
extension Schema {
    /// Checks that every field of a predicate has the index that its tests need. What every record has needs none.
    ///
    /// - Throws: `Failure` with code `usage` that names the first field without one, or that is not known.
    package func checkIndexes(_ predicate: Predicate, of type: RecordType) throws(Failure) {
        var waiting = [predicate]
        while let next = waiting.popLast() {
            switch next {
            case .constant: continue
            case .not(let operand): waiting.append(operand)
            case .and(let parts), .or(let parts): waiting += parts.reversed()
            case .test(let key, _, _), .contains(let key, _):
                try checkIndex(.queryable, key, type)
            case .distance(let distance, _, _): try checkIndex(.queryable, distance.key, type)
            case .tokens:
                let fields = types[type] ?? [:]
                guard fields.values.contains(where: { $0.indexes.contains(.searchable) }) else {
                    throw Failure(
                        .usage, path: type.text, "No field of '\(type)' is searchable.",
                        remedy:
                            "Make one searchable in the schema, or do not ask for a strict query.")
                }
            }
        }
    }

    /// Checks that every field of an order is sortable, with the same errors.
    package func checkIndexes(_ order: SortOrder, of type: RecordType) throws(Failure) {
        for term in order.terms {
            switch term.key {
            case .value(let key): try checkIndex(.sortable, key, type)
            case .distance(let distance): try checkIndex(.sortable, distance.key, type)
            }
        }
    }

    private func checkIndex(
        _ index: FieldIndexes, _ key: QueryKey, _ type: RecordType
    ) throws(Failure) {
        guard case .field(let name) = key else { return }
        guard let field = self[type, name] else {
            throw Failure(
                .usage, path: name.text, "The schema does not have the field '\(type).\(name)'.",
                remedy: "Correct the name.")
        }
        guard !field.indexes.contains(index) else { return }
        let word = FieldIndexes.words.first { $0.index == index }?.word ?? ""
        throw Failure(
            .usage, path: name.text, "The field '\(type).\(name)' is not \(word).",
            remedy: "Make it \(word) in the schema, or do not ask for a strict query.")
    }
}
