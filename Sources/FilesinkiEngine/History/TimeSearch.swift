import FilesinkiModel
import FilesinkiStore

/// Finds where in the log the last commit of a time is, or of an earlier one, without reading the log.
///
/// Of the commits whose numbers are multiples of 512 some are looked at, with those just before each, as in a binary
/// search. What is found depends on the log alone: not on the device, nor on checkpoints or archives. Where the clocks of the
/// devices follow the order of the log, or differ by less than the time of 512 commits, it is the last commit of that time; a log of up
/// to twice as many is read as a whole. Else it may be an earlier one, and never a later one.
struct TimeSearch {
    private let reader: HistoryReader
    /// The number of commits that are not told apart by the search, and are read.
    private let interval: UInt64
    /// How many commits are looked at together. One of them whose clock was ahead misleads nobody.
    private let sample: UInt64

    /// - Parameters:
    ///   - interval: More than `sample`.
    ///   - sample: At least 1.
    init(_ reader: HistoryReader, interval: UInt64 = 512, sample: UInt64 = 16) {
        self.reader = reader
        self.interval = interval
        self.sample = sample
    }

    /// The commits among which the last one of the time is: those after `start`, up to `last`.
    ///
    /// - Throws: What the log throws.
    func span(of time: Timestamp) async throws -> (start: UInt64, last: UInt64) {
        let end = reader.end.sequence
        let marks = end / interval
        var found: UInt64 = 0
        var step: UInt64 = 1
        while step <= marks / 2 { step *= 2 }
        while step > 0 {
            let mark = found + step
            if mark <= marks, try await isInTime(mark * interval, time) { found = mark }
            step /= 2
        }
        return (
            found == 0 ? 0 : found * interval - sample,
            min(end, (found + 2) * interval)
        )
    }

    /// Whether a commit, or one of those just before it, is of the time or of an earlier one.
    private func isInTime(_ last: UInt64, _ time: Timestamp) async throws -> Bool {
        var isFound = false
        try await reader.log.read(Array(last - sample + 1...last)) { _, result in
            if case .success(let commit?) = result, commit.time <= time { isFound = true }
        }
        return isFound
    }
}
