import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Synchronization
import Testing

/// The state at a moment, where the devices' clocks differ.
@Suite("The tree of a moment")
struct MomentTests {
    let world: World
    let a: Machine
    private let start: Timestamp

    /// Four versions of `f`, an hour one after the other; the clock of the second was a year ahead.
    init() async throws {
        world = try World()
        a = try await world.replica("a")
        start = world.clock.surroundings.now()
        let year = Duration.seconds(365 * 86_400)
        for (number, hour) in [(1, 0), (2, 1), (3, 1), (4, 1)] {
            world.clock.advance(by: .seconds(3600 * hour))
            if number == 2 { world.clock.advance(by: year) }
            try await a.save("version \(number)", at: "f")
            try await a.save("\(number)", at: "n\(number)")
            if number == 2 { world.clock.advance(by: .zero - year) }
        }
    }

    private func after(hours: Int64) -> Timestamp {
        Timestamp(seconds: start.seconds + hours * 3600 + 1800, nanoseconds: 0)
    }

    private func tree(_ moment: Timestamp) async throws -> (names: [String], RestoreReport) {
        let report = try await a.with { replica in
            try await replica.restore(at: moment, []) { _, _, _ in }
        }
        return (report.restored.map(\.description), report)
    }

    @Test("E4.1 a clock that was ahead does not end the tree: the last commit in time counts")
    func ahead() async throws {
        let (names, report) = try await tree(after(hours: 2))
        #expect(names == ["f", "n1", "n2", "n3"])
        #expect(report.place?.sequence == 6)
        #expect(report.place?.contradiction?.sequence == 4)
        #expect(report.place?.warning != nil)
    }

    @Test("E4.1 before the wrong clock, and behind all, nothing is warned of")
    func inOrder() async throws {
        let (names, report) = try await tree(after(hours: 0))
        #expect(names == ["f", "n1"])
        #expect(report.place?.warning == nil)
        let none = try await tree(Timestamp(seconds: start.seconds - 10, nanoseconds: 0))
        #expect(none.names == [])
        #expect(none.1.place?.sequence == 0)
    }

    @Test("E4.1 a path and a tree have one rule", arguments: [0, 1, 2, 3] as [Int64])
    func path(_ hours: Int64) async throws {
        let moment = after(hours: hours)
        let path = try RelativePath("f")
        let box = Mutex<[RelativePath: Int64]>([:])
        _ = try await a.with { replica in
            try await replica.restore(at: moment, [path]) { path, entry, _ in
                box.withLock { $0[path] = entry.size }
            }
        }
        #expect(box.withLock { $0.count } == 1)
        let found = try await a.with { try await $0.version(of: path, at: moment) }
        // The second version counts from the third on: nobody can tell when it was made.
        let versions: [Int64: UInt64] = [0: 1, 1: 1, 2: 5, 3: 7]
        #expect(found.version == versions[hours])
    }
}
