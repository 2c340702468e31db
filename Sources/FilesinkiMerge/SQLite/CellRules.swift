import FilesinkiModel

/// What becomes of a cell that both sides changed, each to another value.
struct CellRules {
    let settings: MergeSettings
    /// Whether the skeleton is what this replica has.
    let isSkeletonHere: Bool
    /// Whether the skeleton was modified later than the other side; nil when at the same time.
    let isSkeletonLater: Bool?

    init(_ rules: SQLiteMerge, isSkeletonHere: Bool) {
        settings = rules.settings
        self.isSkeletonHere = isSkeletonHere
        let (here, there) = (rules.hereModified, rules.thereModified)
        isSkeletonLater = here == there ? nil : (here > there) == isSkeletonHere
    }

    /// The three values of one cell.
    struct Cell {
        /// Nil where the row or the column is new.
        var base: SQLiteValue?
        /// The value of the side that the result is a copy of.
        var skeleton: SQLiteValue
        var other: SQLiteValue
    }

    /// The value that the user's rules give; nil to decline.
    func value(of cell: Cell, table: String, column: String) -> SQLiteValue? {
        let rule = settings.fields.first {
            $0.pattern.matches([table, column]) || $0.pattern.matches([column])
        }
        if let rule { return value(of: cell, by: rule.resolution) }
        guard let choice = settings.fieldChoice else { return nil }
        let takesSkeleton: Bool? =
            switch choice {
            case .newest: isSkeletonLater
            case .oldest: isSkeletonLater.map(!)
            case .here: isSkeletonHere
            case .there: !isSkeletonHere
            }
        return takesSkeleton.map { $0 ? cell.skeleton : cell.other }
    }

    private func value(of cell: Cell, by resolution: FieldRule.Resolution) -> SQLiteValue? {
        switch resolution {
        case .max: return cell.skeleton.precedes(cell.other).map { $0 ? cell.other : cell.skeleton }
        case .min: return cell.skeleton.precedes(cell.other).map { $0 ? cell.skeleton : cell.other }
        case .sum: return sum(of: cell)
        case .newest: return isSkeletonLater.map { $0 ? cell.skeleton : cell.other }
        // A cell is no array.
        case .union: return nil
        }
    }

    /// The base and both differences. Without a base nobody knows how much of it both share.
    private func sum(of cell: Cell) -> SQLiteValue? {
        if case (.integer(let base)?, .integer(let left), .integer(let right)) = (
            cell.base, cell.skeleton, cell.other
        ) {
            let (difference, isFar) = right.subtractingReportingOverflow(base)
            let (sum, isTooLarge) = left.addingReportingOverflow(difference)
            return isFar || isTooLarge ? nil : .integer(sum)
        }
        guard let base = cell.base?.number, let left = cell.skeleton.number,
            let right = cell.other.number
        else { return nil }
        // In this order the sides may be exchanged: their sum is the same either way.
        return .real((left + right) - base)
    }
}
