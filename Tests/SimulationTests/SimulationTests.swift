import FilesinkiTesting
import Glibc
import Testing

/// The laws of what happens to a path, after every step of random histories.
///
/// `FILESINKI_SIMULATION_SEED` replays one history; `FILESINKI_SIMULATION_ROUNDS` says how many there
/// are, `FILESINKI_SIMULATION_FIRST` the seed of the first, which is 1 unless it is set: `make test`
/// tries the same ones each time, `make simulate` others. `FILESINKI_SIMULATION_SERIES` names the only series to
/// run, and `FILESINKI_SIMULATION_STEPS` says how long each history is. With `FILESINKI_SIMULATION_PRUNES` only
/// the histories of these seeds run in which old versions are pruned, which are about a third.
@Suite struct SimulationTests {
    /// Shrinking takes long; the first few failures are enough.
    private static let maximumFailures = 5

    private static func number(_ name: String) -> UInt64? {
        knob("FILESINKI_SIMULATION_" + name).map { UInt64(clamping: $0) }
    }

    private static func text(_ name: String) -> String? {
        getenv("FILESINKI_SIMULATION_" + name).map { String(cString: $0) }
    }

    /// Whether a series was asked for, or all were.
    private static func isWanted(_ series: SimulationSeries) -> Bool {
        let wanted = text("SERIES") ?? ""
        return wanted.isEmpty || wanted == series.rawValue
    }

    /// - Parameter standard: How many there are if nobody says so.
    private static func seeds(_ standard: UInt64) -> Range<UInt64> {
        if let seed = number("SEED") { return seed..<(seed + 1) }
        let first = number("FIRST") ?? 1
        return first..<(first + (number("ROUNDS") ?? standard))
    }

    @Test func `the laws hold in random histories`() async throws {
        try await check(.plain, Self.seeds(50))
    }

    /// Some replicas hold a part of the tree, or ignore paths of their own, and both changes midway.
    @Test func `what a device does not choose is deleted by it nowhere`() async throws {
        try await check(.parts, Self.seeds(25))
    }

    @Test func `what a run leaves out is deleted by it nowhere`() async throws {
        try await check(.exclusions, Self.seeds(12))
    }

    @Test func `what a rule ignores is private from the run on that brings it`() async throws {
        try await check(.rules, Self.seeds(14))
    }

    @Test func `what others make public is not sent`() async throws {
        try await check(.secrets, Self.seeds(14))
    }

    @Test func `no line of a text is lost, and what goes together is merged`() async throws {
        try await check(.texts, Self.seeds(18))
    }

    @Test func `clocks decide nothing`() async throws {
        try await check(.clocks, Self.seeds(9))
    }

    @Test func `copied, restored and sleeping replicas lose nothing`() async throws {
        try await check(.copies, Self.seeds(18))
    }

    private func check(_ series: SimulationSeries, _ seeds: Range<UInt64>) async throws {
        guard Self.isWanted(series) else { return }
        let steps = Int(Self.number("STEPS") ?? 15)
        var failures = 0
        for seed in seeds where failures < Self.maximumFailures {
            var generator = SimulationGenerator(series, seed: seed)
            if Self.text("PRUNES")?.isEmpty == false, !generator.prunes { continue }
            let history = generator.history(steps: steps)
            let found = try await history.violations()
            if found.isEmpty { continue }
            failures += 1
            let short = try await history.shrunk()
            let again = try await short.violations()
            let words = (again.isEmpty ? found : again).joined(separator: "\n")
            Issue.record("\(series) \(seed): \(again.isEmpty ? history : short)\n\(words)")
        }
    }
}
