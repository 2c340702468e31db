import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Synchronization
import Testing

/// The state at a point of the history, where the devices' clocks differ.
@Suite("The tree at a point of the history")
struct TreeAtPointTests {
    let world: World
    let a: Machine
    private let start: Timestamp

    /// Four versions of `f`, an hour one after the other; the clock of the second was a year ahead.
    init() async throws {
        world = try World()
        a = try await world.replica("a")
        start = world.clock.systemContext.now()
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

    private func tree(_ point: HistoryPoint, of paths: String...) async throws -> TreeAtPoint {
        let paths = try paths.map { try RelativePath($0) }
        return try await a.with { try await $0.tree(at: point, of: paths) }
    }

    private func names(_ tree: TreeAtPoint) -> [String] { tree.entries.map(\.0.description) }

    @Test("E4.1 with a clock that was ahead, the tree ends at the last commit of that time")
    func ahead() async throws {
        let tree = try await tree(.time(after(hours: 2)))
        #expect(names(tree) == ["f", "n1", "n2", "n3"])
        #expect(tree.sequence == 6)
        #expect(tree.warning?.message.contains("commit 4 of a is later than commit 6") == true)
        let written = Mutex<[String]>([])
        let report = try await a.with { replica in
            try await replica.export(tree) { path, _, _ in
                written.withLock { $0.append("\(path)") }
            }
        }
        #expect(report.restored.map(\.description) == names(tree))
        #expect(written.withLock { $0.sorted() } == names(tree))
    }

    @Test("E4.1 before the wrong clock and after all commits there is no warning")
    func inOrder() async throws {
        let first = try await tree(.time(after(hours: 0)))
        #expect(names(first) == ["f", "n1"])
        #expect(first.warning == nil)
        let none = await #expect(throws: Failure.self) {
            try await tree(.time(Timestamp(seconds: start.seconds - 10, nanoseconds: 0)))
        }
        #expect(none?.remedy.contains("The oldest commit, 1, is of ") == true)
    }

    @Test("E4.1 a path and a tree follow one rule", arguments: [0, 1, 2, 3] as [Int64])
    func path(_ hours: Int64) async throws {
        let point = HistoryPoint.time(after(hours: hours))
        let path = try RelativePath("f")
        let all = try await tree(point).entry(path)
        let one = try await tree(point, of: "f")
        #expect(names(one) == ["f"])
        #expect(try one.entry(path) == all)
        // The second version counts from the third on: its real time is unknown.
        let versions: [Int64: UInt64] = [0: 1, 1: 1, 2: 5, 3: 7]
        #expect(all.version == versions[hours])
    }

    @Test("E4.1 a commit's number uses no clock", arguments: 1...8 as ClosedRange<UInt64>)
    func commit(_ number: UInt64) async throws {
        let tree = try await tree(.commit(number))
        #expect(tree.warning == nil)
        #expect(tree.sequence == number)
        let path = try RelativePath("f")
        // Each second commit is one of `f`.
        #expect(try tree.entry(path).version == (number - 1) / 2 * 2 + 1)
        #expect(names(tree) == ["f"] + (0..<number / 2).map { "n\($0 + 1)" })
        let version = try await self.tree(.version(number), of: "f")
        guard number.isMultiple(of: 2) else {
            #expect(try version.entry(path) == tree.entry(path))
            return
        }
        let failure = #expect(throws: Failure.self) { try version.entry(path) }
        let near = number < 8 ? "are \(number - 1) and \(number + 1)." : "is 7."
        #expect(
            failure?.message == "Version \(number) was not found. The nearest \(near)")
    }

    @Test("E4.1 an unknown commit number is not found", arguments: [0, 9] as [UInt64])
    func noCommit(_ number: UInt64) async throws {
        let failure = await #expect(throws: Failure.self) { try await tree(.commit(number)) }
        #expect(failure?.code == .notFound)
        #expect(failure?.remedy == "The last commit is 8.")
        let version = try await tree(.version(number), of: "f")
        #expect(throws: Failure.self) { try version.entry(RelativePath("f")) }
    }

    @Test("E4.1 a version may be a superseded content; the state after its commit is the winner")
    func superseded() async throws {
        let b = try await world.replica("b")
        try await b.sync()
        try a.write(["f": .file("of a")])
        try b.write(["f": .file("of b")])
        try await a.sync()
        try await b.sync { $0.strategy = Strategy([.choice(.theirs)]) }
        let path = try RelativePath("f")
        let lost = try #require(
            try await b.with { try await $0.history(of: path) }.last { $0.isSuperseded })
        let version = try await tree(.version(lost.version), of: "f")
        #expect(try version.entry(path).entry.content == lost.change.entry.content)
        let after = try await tree(.commit(lost.version), of: "f")
        #expect(try await a.shown(after.entry(path).entry) == "of a")
        #expect(try await a.shown(version.entry(path).entry) == "of b")
    }

    @Test("E4.1 a deleted path exists before its deletion and not after it")
    func deleted() async throws {
        a.remove("n1")
        try await a.sync()
        let path = try RelativePath("n1")
        #expect(try await tree(.commit(8), of: "n1").entry(path).version == 2)
        for point in [HistoryPoint.commit(9), .version(9), .time(world.clock.systemContext.now())] {
            let tree = try await tree(point, of: "n1")
            #expect(tree.entries.isEmpty)
            #expect(throws: Failure.self) { try tree.entry(path) }
        }
    }
}

extension Machine {
    /// A file's content, as `show` prints it.
    fileprivate func shown(_ entry: Entry) async throws -> String {
        try await with { try await $0.shown(entry.content) }
    }
}
