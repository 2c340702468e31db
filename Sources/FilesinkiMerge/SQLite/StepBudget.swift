import CSQLite

/// How many steps of SQLite's machine a merge may take.
///
/// A merge takes a few dozen steps for a row and compares every row a few times, so a budget by the
/// byte is never met by honest files; a recursive or cubic expression in a schema meets it soon.
final class StepBudget {
    private var rounds: Int

    /// How many steps one call of the progress handler stands for.
    private static let stepsInRound: Int32 = 100_000

    /// - Parameter size: The bytes of all databases together.
    init(size: Int) {
        let (steps, isTooMuch) = size.multipliedReportingOverflow(by: 100)
        rounds = (isTooMuch ? Int.max : steps) / Int(Self.stepsInRound) + 1_000
    }

    /// Counts the steps of a connection from now on. The connection must not outlive the budget.
    func attach(to handle: OpaquePointer) {
        sqlite3_progress_handler(
            handle, Self.stepsInRound,
            { context in
                guard let context else { return 1 }
                let budget = Unmanaged<StepBudget>.fromOpaque(context).takeUnretainedValue()
                budget.rounds -= 1
                return budget.rounds > 0 ? 0 : 1
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
