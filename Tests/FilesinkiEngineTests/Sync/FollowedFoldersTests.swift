import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

@Suite("What new files follow a folder that another device has renamed")
struct FollowedFoldersTests {
    /// Replicas `a` and `b`, both with `photos` and `old`.
    private func pair(_ world: World) async throws -> (Machine, Machine) {
        let a = try await world.replica("a")
        try a.write([
            "photos": .directory(["x": .file("x")]), "old": .directory(["k": .file("k")]),
        ])
        try await a.sync()
        let b = try await world.replica("b")
        try await b.sync()
        return (a, b)
    }

    private func told(_ report: SyncReport) -> [String] {
        report.notices.map(\.failure.description)
    }

    @Test("a notice says where a file went, and why, in the plan, too")
    func one() async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        a.rename("photos", "pictures")
        try await a.sync()
        try b.write(["photos": .directory(["new": .file("new")])])
        let plan = try await b.sync { $0.isDryRun = true }
        #expect(
            told(plan) == [
                "photos/new: Would be moved to pictures/new, as a has renamed photos to pictures. To have it at its "
                    + "old path, run filesinki mv pictures/new photos/new after the sync."
            ])
        #expect(
            told(try await b.sync()) == [
                "photos/new: Moved to pictures/new, as a has renamed photos to pictures. To have it at its old path, "
                    + "run filesinki mv pictures/new photos/new."
            ])
        #expect(b.text("pictures/new") == "new" && b.text("photos/new") == nil)
        #expect(try await b.sync().notices.isEmpty)
    }

    @Test("several files are one line, also where the new folder was there before")
    func several() async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        a.rename("photos/x", "old/x")
        a.remove("photos")
        try await a.sync()
        try b.write([
            "photos": .directory([
                "m": .file("m"), "n": .file("n"), "sub": .directory(["s": .file("s")]),
            ])
        ])
        #expect(
            told(try await b.sync()) == [
                "photos: 3 new files were moved to old, as a has moved the files of photos to old, and removed photos. "
                    + "To have one of them at its old path, move it back, as with filesinki mv old/m photos/m."
            ])
        #expect(b.text("old/sub/s") == "s" && b.text("old/k") == "k")
    }

    @Test("a new file of another device is not told here, nor what was renamed with its folder")
    func others() async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        try b.write(["photos": .directory(["new": .file("new")])])
        try await b.sync()
        a.rename("photos", "pictures")
        #expect(try await a.sync().notices.isEmpty)
        #expect(a.text("pictures/new") == "new")
        #expect(try await b.sync().notices.isEmpty)
    }
}
