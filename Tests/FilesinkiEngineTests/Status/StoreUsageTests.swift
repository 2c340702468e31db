import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Testing

/// What `du` and `stats` count.
@Suite("What takes the space in a store")
struct StoreUsageTests {
    let world: World
    let a: Machine
    /// Random bytes, which do not compress: a large file of several chunks, and one of a single chunk.
    private let large: [UInt8]
    private let middle: [UInt8]

    init() async throws {
        world = try World()
        a = try await world.replica("a")
        var random = SeededRandom(seed: 8)
        large = random.bytes(9_000_000)
        middle = random.bytes(300_000)
    }

    private func file(_ bytes: [UInt8]) -> TreeFixture.Node {
        .bytes(bytes, mode: 0o644, modified: nil)
    }

    private func usage(
        _ paths: String..., depth: Int = 1, history: Bool = false
    ) async throws -> PathUsageReport {
        let paths = try paths.map { try RelativePath($0) }
        return try await a.with {
            try await $0.usage(of: paths, depth: depth, history: history)
        }
    }

    private func of(_ path: String, _ report: PathUsageReport) -> PathUsage? {
        report.paths.first { $0.path.description == path }?.usage
    }

    @Test func `folders are summed to the given depth`() async throws {
        try a.write([
            "d": .directory(["e": .directory(["one": file(middle)]), "two": .file("two")]),
            "three": .file("three"),
        ])
        try await a.sync()
        let top = try await usage()
        #expect(top.paths.map(\.path.description) == ["d", "three"])
        #expect(of("d", top)?.isFolder == true && of("d", top)?.files == 2)
        #expect(of("d", top)?.bytes == 300_003)
        #expect(top.total.files == 3 && top.total.bytes == 300_008)
        #expect((300_008...310_000).contains(top.total.storedBytes))
        #expect(top.total.sharedBytes == 0)
        let none = try await usage(depth: 0)
        #expect(none.paths.isEmpty && none.total == top.total)
        let all = try await usage(depth: 9)
        #expect(all.paths.map(\.path.description) == ["d", "d/e", "d/e/one", "d/two", "three"])
        let scope = try await usage("d/e", "three", depth: 0)
        #expect(scope.paths.map(\.path.description) == ["d/e", "three"])
        #expect(scope.total.bytes == 300_005)
        #expect(try await usage("absent").paths.isEmpty)
    }

    @Test func `a content of several paths counts once, and is named as shared`() async throws {
        try a.write([
            "d": .directory(["one": file(middle), "two": file(middle)]),
            "e": .directory(["three": file(middle), "own": .file("own")]),
        ])
        try await a.sync()
        let report = try await usage()
        for folder in ["d", "e"] {
            let found = try #require(of(folder, report))
            #expect((300_000...310_000).contains(found.sharedBytes))
            #expect(found.storedBytes - found.sharedBytes == (folder == "d" ? 0 : 3))
        }
        #expect(report.total.files == 4 && report.total.bytes == 300_003)
        #expect(report.total.storedBytes < 310_000)
        // The other paths are beyond the scope; they share it all the same.
        let one = try await usage("d/one")
        #expect(one.total.sharedBytes == one.total.storedBytes && one.total.files == 1)
    }

    @Test func `chunks that two contents have count once`() async throws {
        try a.write(["one": file(large), "two": file(large + [1])])
        try await a.sync()
        let report = try await usage()
        #expect(report.total.bytes == 18_000_001)
        #expect((9_000_000...14_000_000).contains(report.total.storedBytes))
        #expect(report.total.sharedBytes > 4_000_000)
        let statistics = try await a.with { try await $0.statistics() }
        #expect(statistics.plainBytes < 14_000_000)
        #expect(statistics.versionBytes == 18_000_001)
        #expect(statistics.storedBytes == report.total.storedBytes)
    }

    @Test func `growth counts by day what commits have stored`() async throws {
        try a.write(["one": file(middle), "two": .file("2")])
        try await a.sync()
        try a.write(["two": .file("22")])
        try await a.sync()
        a.clock.advance(by: .seconds(2 * 86_400))
        try a.write(["three": .file("333")])
        try await a.sync()
        let statistics = try await a.with { try await $0.statistics() }
        let days = statistics.growth.days(limit: 9)
        #expect(days.map(\.commits) == [2, 1])
        #expect(days[1].number - days[0].number == 2)
        #expect(days[1].stored == 3 && days.map(\.freed) == [0, 0])
        #expect(days[0].stored + 3 == statistics.devices.first?.bytes)
        #expect(statistics.growth.days(limit: 1) == [days[1]])
        #expect(StoreGrowth.day(of: Timestamp(seconds: -1, nanoseconds: 0)) == -1)
    }

    @Test func `history counts the versions that are gone`() async throws {
        try a.write(["one": file(middle), "two": .file("2")])
        try await a.sync()
        try a.write(["one": .file("small")])
        a.remove("two")
        try await a.sync()
        let now = try await usage()
        #expect(now.paths.map(\.path.description) == ["one"])
        #expect(now.total.bytes == 5)
        let all = try await usage(history: true)
        #expect(all.paths.map(\.path.description) == ["one", "two"])
        #expect(of("one", all)?.files == 2 && of("one", all)?.bytes == 300_005)
        #expect(all.total.bytes == 300_006)
        #expect(all.total.sharedBytes == 0)
    }

    @Test
    func `the tree is the one after the last commit, also where this device has not received it`()
        async throws
    {
        try a.write(["one": file(middle), "two": .file("2")])
        try await a.sync()
        let b = try await world.replica("b")
        try await b.sync()
        try b.write(["three": .file("33")])
        b.remove("two")
        try await b.sync()
        let now = try await usage()
        #expect(now.paths.map(\.path.description) == ["one", "three"])
        #expect(now.total.bytes == 300_002)
        #expect(of("three", now)?.storedBytes == 2)
    }

    @Test func `statistics divide the store by kind, age and device`() async throws {
        try a.write(["one": file(middle), "two": .file("2")])
        try await a.sync()
        let b = try await world.replica("b")
        try await b.sync()
        try b.write(["one": .file("of b")])
        try await b.sync()
        world.clock.advance(by: .seconds(40 * 86_400))
        let found = try await a.with { try await $0.statistics() }
        let commits = try await world.commits().count
        #expect(found.objects[.commits]?.count == commits)
        #expect(found.objects[.packs]?.count == 1 && found.namedPacks == 1)
        #expect(found.objects.values.reduce(0) { $0 + $1.count } == world.store.objects.count)
        #expect(
            found.objects.values.reduce(0) { $0 + $1.bytes }
                == world.store.objects.values.reduce(0) { $0 + Int64($1.count) })
        #expect(found.files == 2 && found.fileBytes == 5)
        #expect(found.versions == 3 && found.versionBytes == 300_005 && found.contents == 3)
        #expect(found.ages[.current]?.contents == 2 && found.ages[.current]?.storedBytes == 5)
        #expect(found.ages[.year]?.contents == 1 && found.ages[.year]?.bytes == 300_000)
        #expect(found.notCurrentBytes == found.ages[.year]?.storedBytes)
        #expect(found.unusedBytes == 0 && found.duplicateBytes == 0)
        #expect(found.devices.map(\.device.name) == ["a", "b"])
        #expect(found.devices.map(\.packs) == [1, 0])
        #expect(found.devices.last?.bytes == 4)
    }
    @Test func `what a prune has removed is not counted for the device that stored it`()
        async throws
    {
        for first: UInt8 in 1...3 {
            try a.write(["one": file([first] + middle.map { $0 &* first })])
            try await a.sync()
        }
        let b = try await world.replica("b")
        try await b.sync()
        try b.write(["one": file(middle.reversed())])
        try await b.sync()
        let before = try await b.with { try await $0.statistics() }
        #expect(before.devices.map(\.packs).reduce(0, +) == 4)
        var policy = RetentionPolicy()
        policy.last = 1
        let removed = try await b.with { [policy] in
            try await $0.prune(policy, isDryRun: false, nil).removedPacks
        }
        #expect(removed > 0)
        let after = try await b.with { try await $0.statistics() }
        #expect(after.devices.map(\.packs).reduce(0, +) == after.objects[.packs]?.count)
        let bytes = after.devices.reduce(0) { $0 + $1.bytes }
        #expect(bytes == after.objects[.packs]?.bytes)
        #expect(after.growth.days(limit: 1).first?.freed ?? 0 > 0)
    }
}
