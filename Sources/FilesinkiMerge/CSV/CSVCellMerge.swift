import FilesinkiModel

/// Merges one field.
struct CSVCellMerge {
    typealias Raw = ArraySlice<UInt8>

    let oursModified: Timestamp
    let theirsModified: Timestamp
    let settings: MergeSettings

    enum Outcome {
        /// A field as one of the sides wrote it; nil for one that no side has.
        case written(Raw?)
        /// A value that no side wrote.
        case new([UInt8])
        /// Why it cannot be merged.
        case conflict(String)
    }

    /// Fields with the same value are equal, however they are quoted; the quotes come from the side
    /// that changed them.
    ///
    /// - Parameter column: Nil for a name in the header, about which no rule decides.
    func merged(_ cell: Versions<Raw?>, column: [UInt8]?) -> Outcome {
        let rule = rule(for: column)
        let values = cell.map { CSVTable.value(of: $0 ?? []) }
        let isCounter = rule?.resolution == .sum
        let bothChanged = values.ours != values.base && values.theirs != values.base
        if !(isCounter && bothChanged) {
            if let settled = cell.settled { return .written(settled) }
            if values.ours == values.theirs { return .written(lesser(cell.ours, cell.theirs)) }
            if values.ours == values.base { return .written(cell.theirs) }
            if values.theirs == values.base { return .written(cell.ours) }
        }
        guard let rule else { return chosen(cell) }
        return resolved(cell, values, rule.resolution)
    }

    func rule(for column: [UInt8]?) -> FieldRule? {
        guard let column, !settings.fields.isEmpty else { return nil }
        let name = String(decoding: column, as: UTF8.self)
        return settings.fields.first { $0.pattern.matches([name]) }
    }

    private func lesser(_ first: Raw?, _ second: Raw?) -> Raw? {
        guard let first, let second else { return first ?? second }
        return second.lexicographicallyPrecedes(first) ? second : first
    }

    private func resolved(
        _ cell: Versions<Raw?>, _ values: Versions<[UInt8]>, _ resolution: FieldRule.Resolution
    ) -> Outcome {
        switch resolution {
        case .max: return .written(isLess(values.ours, values.theirs) ? cell.theirs : cell.ours)
        case .min: return .written(isLess(values.theirs, values.ours) ? cell.theirs : cell.ours)
        case .sum: return sum(values)
        case .newest: return later(cell, isWanted: true)
        case .maxVersion:
            guard let isNewer = VersionText.isNewer(values.ours, values.theirs) else {
                return .conflict(VersionText.reason)
            }
            return .written(isNewer ? cell.ours : cell.theirs)
        case .union: return .conflict("A field of a table has no elements to unite.")
        }
    }

    /// As numbers if both are plain decimal numbers, else by their bytes.
    private func isLess(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        if let one = DecimalText(first), let other = DecimalText(second), !(one == other) {
            return one < other
        }
        return first.lexicographicallyPrecedes(second)
    }

    private func sum(_ values: Versions<[UInt8]>) -> Outcome {
        let base = values.base.isEmpty ? DecimalText.zero : DecimalText(values.base)
        guard let base, let ours = DecimalText(values.ours), let theirs = DecimalText(values.theirs)
        else { return .conflict("A counter is not a plain decimal number.") }
        return .new((ours + theirs + -base).text)
    }

    private func chosen(_ cell: Versions<Raw?>) -> Outcome {
        switch settings.fieldChoice {
        case .ours: .written(cell.ours)
        case .theirs: .written(cell.theirs)
        case .newest: later(cell, isWanted: true)
        case .oldest: later(cell, isWanted: false)
        case nil: .conflict("Both sides changed it, to different values.")
        }
    }

    private func later(_ cell: Versions<Raw?>, isWanted: Bool) -> Outcome {
        if oursModified == theirsModified {
            return .conflict("Both sides changed it, and were modified at the same time.")
        }
        return .written((oursModified > theirsModified) == isWanted ? cell.ours : cell.theirs)
    }
}
