internal import FilesinkiModel

extension KeyValues {
    /// Adds to what is here, in one step that no other process comes between: to numbers, and to arrays
    /// the elements that they have not. The keys' rules become `sum` and `union` unless others are named.
    ///
    /// - Throws: As ``apply(_:)``, and `Failure` with code `usage` for what cannot be added.
    @discardableResult
    package func add(_ changes: [ValueChange]) throws -> [ValueKey] {
        try update { read in
            try changes.map { change in try change.added(to: read(change.key)) }
        }
    }
}

extension ValueChange {
    fileprivate func added(to former: TypedValue?) throws(Failure) -> ValueChange {
        var result = self
        switch (value, former) {
        case (.integer, nil), (.double, nil), (.array, nil): break
        case (.integer(let step)?, .integer(let number)?):
            let (sum, overflow) = number.addingReportingOverflow(step)
            guard !overflow else { throw refused("The sum does not fit into 64 bits.") }
            result.value = .integer(sum)
        case (.double(let step)?, .double(let number)?): result.value = .double(number + step)
        case (.array(let new)?, .array(let elements)?):
            let known = Set(elements)
            result.value = .array(elements + new.filter { !known.contains($0) })
        default: throw refused("This cannot be added to what is there.")
        }
        if case .array? = value {
            result.policy = policy ?? .union
        } else {
            result.policy = policy ?? .sum
        }
        return result
    }

    private func refused(_ message: String) -> Failure {
        Failure(
            .usage, path: key.bytes, message,
            remedy: "Add a number to a number of the same type, or an array to an array.")
    }
}
