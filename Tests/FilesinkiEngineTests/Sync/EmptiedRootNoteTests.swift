import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Testing

/// What was missing when the root was found empty, and is missing still.
@Suite struct EmptiedRootNoteTests {
    let world: World
    let a: Machine
    let b: Machine

    /// The files `f0` to `f4`, all of which are moved out of the root of `a`.
    init() async throws {
        world = try World()
        let nodes = (0..<5).map { (TreeFixture.Name(Array("f\($0)".utf8)), $0) }
        let tree = TreeFixture(
            Dictionary(nodes.map { ($0.0, .file("text \($0.1)")) }) { first, _ in first })
        (a, b) = try await world.pair(tree)
        for name in try a.names { a.rename(name, "../\(name)") }
    }

    /// Moves files back: for the store they were never away.
    private func moveBack(_ names: String...) {
        for name in names { a.rename("../\(name)", name) }
    }

    private func stop(_ body: () async throws -> Void) async -> Failure? {
        do {
            try await body()
            return nil
        } catch { return error as? Failure }
    }

    private func undelete(_ names: String...) async throws {
        for name in names {
            try await a.with { try await $0.undelete(try RelativePath(name), SyncOptions()) }
        }
    }

    private func planID(_ failure: Failure?) -> String? {
        failure?.remedy.split(separator: " ").last.map { String($0.dropLast()) }
    }

    private func expectStop(_ failure: Failure?, _ count: Int) {
        #expect(failure?.code == .limit)
        let text = GuardViolation.stillMissing(count, of: 5).description
        #expect(failure?.message == text)
        #expect(
            failure?.remedy.hasPrefix("filesinki undelete . brings back what is missing. ") == true)
    }

    @Test func `one file that is back does not let the others be deleted`() async throws {
        #expect(await stop { try await a.sync() }?.code == .limit)
        try await undelete("f1")
        let failure = await stop { try await a.sync() }
        expectStop(failure, 4)
        // A dry run says the same, and changes nothing.
        let dry = try await a.sync { $0.isDryRun = true }
        #expect(dry.notices.contains { $0.failure.message == failure?.message })
        try await b.sync()
        #expect(try b.names.count == 5)
        try await a.sync { $0.approved = self.planID(failure) }
        try await b.sync()
        #expect(try b.names == ["f1"])
        // With that it is over: what is deleted now was not missing.
        try a.write(["n": .file("new"), "m": .file("more")])
        try await a.sync()
        a.remove("f1")
        try await a.sync()
        try await b.sync()
        #expect(try b.names == ["m", "n"])
    }

    @Test func `an approval for some paths is none for the others`() async throws {
        #expect(await stop { try await a.sync() }?.code == .limit)
        try await undelete("f1")
        let some = [try RelativePath("f2")]
        let failure = await stop { try await a.sync { $0.paths = some } }
        expectStop(failure, 1)
        try await a.sync {
            $0.paths = some
            $0.approved = self.planID(failure)
        }
        expectStop(await stop { try await a.sync() }, 3)
    }

    @Test func `nothing is asked once all of them are back`() async throws {
        #expect(await stop { try await a.sync() }?.code == .limit)
        moveBack("f0", "f1", "f2", "f3")
        expectStop(await stop { try await a.sync() }, 1)
        moveBack("f4")
        try await a.sync()
        for name in ["f0", "f1", "f2"] { a.remove(name) }
        try await a.sync()
        try await b.sync()
        #expect(try b.names == ["f3", "f4"])
    }

    @Test func `what is deleted by name is not asked about`() async throws {
        #expect(await stop { try await a.sync() }?.code == .limit)
        moveBack("f0", "f1")
        let named = try ["f2", "f3", "f4"].map { try RelativePath($0) }
        try await a.with { _ = try await $0.delete(named, recursive: false, SyncOptions()) }
        a.remove("f0")
        try await a.sync()
        try await b.sync()
        #expect(try b.names == ["f1"])
    }

    @Test func `a watch stops at each of them`() async throws {
        #expect(await stop { try await a.sync { $0.isUnattended = true } }?.code == .limit)
        try await undelete("f1")
        expectStop(await stop { try await a.syncChanges("f2") }, 4)
        expectStop(await stop { try await a.sync { $0.isUnattended = true } }, 4)
        // Other work goes on.
        try a.write(["n": .file("new")])
        #expect(try await a.syncChanges("n").report.publishedCommits == 1)
    }

    enum Way: CaseIterable { case undelete, undeleteMany, undeleteSome, restore }

    @Test(
        "a command that finds the root empty and fills a part of it leaves the note, too",
        arguments: Way.allCases)
    func commands(_ way: Way) async throws {
        let options = SyncOptions()
        try await a.with { replica in
            let path = try RelativePath("f0")
            switch way {
            case .undelete: _ = try await replica.undelete(path, options)
            case .undeleteMany: _ = try await replica.undelete([path], options)
            case .undeleteSome:
                let found = try await replica.unsentDeletions().filter { $0.path == path }
                _ = try await replica.bringBack(found, options)
            case .restore: _ = try await replica.restore(path, version: 1, options)
            }
        }
        #expect(try a.names == ["f0"])
        expectStop(await stop { try await a.sync() }, 4)
        try await undelete("f1", "f2", "f3", "f4")
        try await a.sync()
        #expect(try a.names.count == 5)
    }

    @Test func `a root that is not empty leaves none`() async throws {
        moveBack("f0")
        try await undelete("f1")
        try await a.sync()
        try await b.sync()
        #expect(try b.names == ["f0", "f1"])
    }
}
