import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import FilesinkiWatch
import Testing

/// Deletions that come a few at a time while a watch is running.
@Suite("Deletions one by one under a watch")
struct SlowDeletionTests {
    let world: World
    let a: Machine
    let b: Machine

    init() async throws {
        world = try World()
        let tree = TreeFixture(
            Dictionary(
                (0..<60).map { (TreeFixture.Name(Array("f\($0)".utf8)), .file("text \($0)")) }
            ) { first, _ in first })
        (a, b) = try await world.pair(tree)
    }

    /// What a watch does after reported deletions.
    private func delete(_ numbers: Range<Int>) async throws {
        let names = numbers.map { "f\($0)" }
        for name in names { a.remove(name) }
        try await a.hear(names)
    }

    private func stopped(_ body: () async throws -> Void) async -> Failure? {
        do {
            try await body()
            return nil
        } catch { return error as? Failure }
    }

    private func approval(_ failure: Failure?) throws -> String {
        let words = try #require(failure).remedy.split { " .".contains($0) }
        let flag = try #require(words.firstIndex(of: "--approve"))
        return String(words[words.index(after: flag)])
    }

    @Test("E3.10 batches below the guard's minimum stop at the same limit as one run")
    func batches() async throws {
        for batch in 0..<3 { try await delete(batch * 10..<(batch + 1) * 10) }
        let failure = await stopped { try await delete(30..<40) }
        #expect(failure?.code == .limit)
        try await b.sync { $0.maxDelete = .count(60) }
        #expect(try b.names.count == 30)
        // It does not go through by waiting while the watch tries again.
        for _ in 0..<15 {
            world.clock.advance(by: .seconds(60))
            let again = await stopped { try await a.sync { $0.isUnattended = true } }
            #expect(again?.code == .limit)
        }
        let id = try approval(failure)
        try await a.sync { $0.approved = id }
        try await b.sync { $0.maxDelete = .count(60) }
        #expect(try b.names.count == 20)
        // A person has looked: the count begins anew.
        try await delete(40..<45)
    }

    @Test("E3.10 deletions before the window do not count")
    func older() async throws {
        for batch in 0..<4 {
            try await delete(batch * 10..<(batch + 1) * 10)
            world.clock.advance(by: .seconds(400))
        }
        try await b.sync { $0.maxDelete = .count(60) }
        #expect(try b.names.count == 20)
    }

    @Test("E3.10 short-lived temporary files are no deletions of the tree")
    func temporary() async throws {
        for round in 0..<16 {
            var names: [String] = []
            for number in 0..<5 { names.append("tmp\(round)-\(number)") }
            for name in names { try a.write([TreeFixture.Name(Array(name.utf8)): .file(name)]) }
            try await a.hear(names)
            for name in names { a.remove(name) }
            try await a.hear(names)
        }
        try await world.converge()
        #expect(try b.names.count == 60)
    }

    @Test("E3.10 an emptied root is detected also when its files were deleted one by one")
    func emptied() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1"), "g": .file("2"), "h": .file("3")])
        for name in ["f", "g"] {
            a.remove(name)
            try await a.hear([name])
        }
        a.remove("h")
        let failure = await stopped { try await a.hear(["h"]) }
        #expect(failure?.code == .limit)
        try await b.sync()
        #expect(try b.names == ["h"])
    }

    @Test("E3.10 received deletions count as well")
    func incoming() async throws {
        for batch in 0..<3 {
            for number in batch * 10..<(batch + 1) * 10 { a.remove("f\(number)") }
            try await a.sync()
            try await b.syncChanges(hinted: true)
        }
        for number in 30..<40 { a.remove("f\(number)") }
        try await a.sync()
        let failure = await stopped { try await b.syncChanges(hinted: true) }
        #expect(failure?.code == .limit)
        #expect(try b.names.count == 30)
    }
}

extension Machine {
    /// A run of a watch for reported paths.
    fileprivate func hear(_ paths: [String]) async throws {
        let changes = LocalChanges(paths: Set(try paths.map { try RelativePath($0) }))
        try await with {
            _ = try await $0.syncChanges(changes, isRemoteHinted: false, SyncOptions())
        }
    }
}
