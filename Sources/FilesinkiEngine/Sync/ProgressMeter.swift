/// Says of one file how many of its bytes are news, some megabytes at a time: so a long file shows that
/// it gets on, and a short one costs nothing.
struct ProgressMeter: Sendable {
    /// So many bytes are told at a time.
    static let step: Int64 = 4 << 20

    /// What was told by now.
    private(set) var told: Int64 = 0
    private var done: Int64 = 0
    private let size: Int64

    /// - Parameter size: What the file counts for in the whole; one that grew counts for no more.
    init(size: Int64) { self.size = size }

    /// - Returns: How many bytes are to be told now; nil while they are few.
    mutating func add(_ count: Int) -> Int64? {
        done = min(size, done + Int64(count))
        guard done - told >= Self.step else { return nil }
        defer { told = done }
        return done - told
    }
}
