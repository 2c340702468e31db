import FilesinkiDirectory
import FilesinkiModel
import Synchronization

/// Holds the folder to a number of bytes.
///
/// What it holds is counted at the start and now and then, for others may write there too; in between,
/// what this server adds is added. Deletions are seen when the next count is due: at once when there
/// would be no room, though not more than every ten seconds.
final class Quota: Sendable {
    private struct State {
        var used: Int64 = 0
        var reserved: Int64 = 0
        var counted: Timestamp?
    }

    /// What one request was promised.
    struct Reservation: ~Copyable {
        /// How much of it stays.
        private(set) var kept: Int64 = 0

        /// Notes that this many bytes are in the folder now.
        mutating func keep(_ count: Int64) { kept = max(0, count) }
    }

    /// Nil for no bound.
    let limit: Int64?
    private let remote: DirectoryRemote
    private let systemContext: SystemContext
    private let state = Mutex(State())

    init(_ limit: Int64?, _ remote: DirectoryRemote, _ systemContext: SystemContext) {
        self.limit = limit
        self.remote = remote
        self.systemContext = systemContext
    }

    /// The bytes in the folder as far as is known; nil without a bound.
    var used: Int64? { limit == nil ? nil : state.withLock { $0.used } }

    /// Counts what the folder holds.
    func count() async throws {
        guard limit != nil else { return }
        let now = systemContext.now()
        state.withLock { $0.counted = now }
        let used = try await remote.usedBytes()
        state.withLock { $0.used = used }
    }

    /// Does something that may add `count` bytes.
    ///
    /// - Throws: ``RequestError`` with 507 when there is no room for them.
    func reserve<Result>(
        _ count: Int64, _ body: (inout Reservation) async throws -> Result
    ) async throws -> Result {
        if limit != nil, state.withLock({ $0.counted == nil }) { try await self.count() }
        if !take(count) {
            guard isCountDue else { throw RequestError.full }
            try await self.count()
            guard take(count) else { throw RequestError.full }
        }
        var reservation = Reservation()
        do {
            let result = try await body(&reservation)
            give(count, kept: reservation.kept)
            return result
        } catch {
            give(count, kept: reservation.kept)
            throw error
        }
    }

    private func take(_ count: Int64) -> Bool {
        guard let limit else { return true }
        return state.withLock { state in
            let (sum, overflow) = (state.used + state.reserved).addingReportingOverflow(count)
            guard !overflow, sum <= limit else { return false }
            state.reserved += count
            return true
        }
    }

    private func give(_ count: Int64, kept: Int64) {
        guard limit != nil else { return }
        state.withLock { state in
            state.reserved -= count
            state.used += kept
        }
    }

    private var isCountDue: Bool {
        guard let counted = state.withLock({ $0.counted }) else { return true }
        let age = systemContext.now().nanoseconds &- counted.nanoseconds
        return !(0..<10_000_000_000).contains(age)
    }
}
