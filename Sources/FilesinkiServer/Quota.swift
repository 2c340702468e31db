import FilesinkiDirectory
import FilesinkiModel
import Synchronization

/// Limits the size of the folder.
///
/// The folder is measured at the start and periodically, because others may write to it, too. In between,
/// what this server adds and deletes is counted. What others delete shows in the next measurement, which is made
/// at once if there would be no space left, but at most every ten seconds.
final class Quota: Sendable {
    private struct State {
        var used: Int64 = 0
        var reserved: Int64 = 0
        var measured: Timestamp?
    }

    /// The space reserved for one request.
    struct Reservation: ~Copyable {
        /// How much of it was used; less than 0 if the folder lost bytes.
        private(set) var kept: Int64 = 0

        /// Records that this many bytes were added to the folder.
        mutating func keep(_ count: Int64) { kept = count }
    }

    /// Nobody resumes an upload after so long. Without space, such uploads are removed at once, before the day is over for
    /// which they are kept else.
    static let longestBreak = Duration.seconds(600)

    /// In bytes; nil for no limit.
    let limit: Int64?
    private let remote: DirectoryRemote
    private let systemContext: SystemContext
    private let state = Mutex(State())

    init(_ limit: Int64?, _ remote: DirectoryRemote, _ systemContext: SystemContext) {
        self.limit = limit
        self.remote = remote
        self.systemContext = systemContext
    }

    /// The last known size of the folder in bytes; nil without a limit.
    var used: Int64? { limit == nil ? nil : state.withLock { $0.used } }

    /// Measures the folder. Reads all of its folders.
    func measure() async throws {
        guard limit != nil else { return }
        let now = systemContext.now()
        state.withLock { $0.measured = now }
        let used = try await remote.usedBytes()
        state.withLock { $0.used = used }
    }

    /// Reserves space for `count` bytes while `body` runs.
    ///
    /// - Throws: ``RequestError`` with 507 when the limit leaves not enough space.
    func withReservation<Result>(
        _ count: Int64, _ body: (inout Reservation) async throws -> Result
    ) async throws -> Result {
        if limit != nil, state.withLock({ $0.measured == nil }) { try await measure() }
        if !reserve(count) {
            guard isMeasurementDue else { throw RequestError.overQuota }
            try? await remote.sweepUploads(olderThan: Self.longestBreak)
            try await measure()
            guard reserve(count) else { throw RequestError.overQuota }
        }
        var reservation = Reservation()
        do {
            let result = try await body(&reservation)
            release(count, kept: reservation.kept)
            return result
        } catch {
            release(count, kept: reservation.kept)
            throw error
        }
    }

    private func reserve(_ count: Int64) -> Bool {
        guard let limit else { return true }
        return state.withLock { state in
            let (sum, overflow) = (state.used + state.reserved).addingReportingOverflow(count)
            guard !overflow, sum <= limit else { return false }
            state.reserved += count
            return true
        }
    }

    private func release(_ count: Int64, kept: Int64) {
        guard limit != nil else { return }
        state.withLock { state in
            state.reserved -= count
            state.used = max(0, state.used + kept)
        }
    }

    /// Records that this many bytes were deleted from the folder.
    func subtract(_ count: Int64) {
        guard limit != nil else { return }
        state.withLock { $0.used = max(0, $0.used - count) }
    }

    private var isMeasurementDue: Bool {
        guard let measured = state.withLock({ $0.measured }) else { return true }
        let age = systemContext.now().nanoseconds &- measured.nanoseconds
        return !(0..<10_000_000_000).contains(age)
    }
}
