import FilesinkiModel
import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiEngine

/// A move out of the chosen paths without the command for it is no deletion.
@Suite("What was moved out of the chosen paths")
struct MovedOutPathsTests {
    /// A complete replica `a`, and `b`, which holds `docs` and `kept`, and has a folder `p` of its own.
    private func pair(_ world: World) async throws -> (Machine, Machine) {
        let a = try await world.replica("a")
        try a.write([
            "docs": .directory(["a": .file("a"), "b": .file("b")]), "kept": .file("kept"),
        ])
        try await a.sync()
        let b = try await world.replica("b", only: ["docs", "kept"])
        try await b.sync()
        try b.write(["p": .directory([:])])
        return (a, b)
    }

    @Test("it is deleted nowhere before its place is chosen", arguments: [false, true])
    func movedOut(_ isWatched: Bool) async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        b.rename("docs/a", "p/moved")
        let report =
            isWatched ? try await b.syncChanges("docs/a").report : try await b.sync()
        #expect(report.problems.map(\.path.description) == ["docs/a"])
        #expect(report.problems.first?.failure.remedy.contains("only add p/moved,") == true)
        try await a.sync()
        #expect(a.text("docs/a") == "a")
        try await b.choose(["docs", "kept", "p/moved"])
        #expect(try await b.sync().problems.isEmpty)
        try await a.sync()
        #expect(a.text("docs/a") == nil && a.text("p/moved") == "a")
    }

    @Test("a folder that was moved out stays elsewhere, until it leaves the root")
    func movedFolderOut() async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        let tree = try a.tree()
        b.rename("docs", "p/moved")
        let report = try await b.sync()
        #expect(
            report.problems.map(\.failure.description) == [
                "docs: Not sent as deleted, with 2 files in it: it is at p/moved now, outside of the paths that this "
                    + "replica holds. To move it on all devices, run filesinki only add p/moved, then sync. To delete it "
                    + "there, run filesinki delete -r docs."
            ])
        #expect(report.publishedCommits == 0)
        try await a.sync()
        #expect(try a.tree() == tree)
        b.remove("p/moved/a")
        #expect(try await b.sync().publishedCommits == 0)
        b.remove("p")
        #expect(try await b.sync().publishedCommits == 1)
        try await a.sync()
        #expect(try a.names == ["kept"])
    }
    /// What becomes of `docs/a`, or of all in `docs`, beside being moved to `p`.
    enum Way: CaseIterable {
        case edited, editedInFolder, replacedInFolder, touched, copied, copiedWithItsFolder

        func carry(out b: Machine) throws {
            switch self {
            case .edited:
                b.rename("docs/a", "p/moved")
                append(to: b.at("p/moved"))
            case .editedInFolder:
                b.rename("docs", "p/z")
                append(to: b.at("p/z/a"))
            case .replacedInFolder:
                b.rename("docs", "p/z")
                try b.write(["p": .directory(["new": .file("another text")])])
                b.rename("p/new", "p/z/a")
            case .touched:
                b.rename("docs/a", "p/moved")
                utimensat(AT_FDCWD, b.at("p/moved"), nil, 0)
            case .copied:
                try b.write(["p": .directory(["copy": .file("a")])])
                b.remove("docs/a")
            case .copiedWithItsFolder:
                try b.write([
                    "p": .directory(["z": .directory(["a": .file("a"), "b": .file("b")])])
                ])
                b.remove("docs")
            }
        }

        private func append(to path: String) {
            guard let file = fopen(path, "a") else { return }
            fputs(" and more", file)
            fclose(file)
        }
    }

    @Test("also what was changed on the way, or copied", arguments: Way.allCases, [false, true])
    func changed(_ way: Way, _ isNamed: Bool) async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        let tree = try a.tree()
        try way.carry(out: b)
        let report =
            isNamed
            ? try await b.syncChanges("docs/a", "docs/b", "docs").report : try await b.sync()
        #expect(report.publishedCommits == 0)
        #expect(report.problems.map(\.failure.code) == [.usage], "\(report.problems)")
        try await a.sync()
        #expect(try a.tree() == tree)
    }

    @Test(
        "what was renamed or deleted in the folder has another content, so that it is deleted elsewhere"
    )
    func otherContent() async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        try b.write(["p": .directory(["c": .file("c")])])
        b.remove("docs/a")
        #expect(try await b.sync().publishedCommits == 1)
        try await a.sync()
        #expect(a.text("docs/a") == nil && a.text("docs/b") == "b")
    }

    @Test("a rename among the chosen paths is sent, whatever copies are outside")
    func renamedInside() async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        try b.write(["p": .directory(["a": .file("a")])])
        b.rename("docs/a", "docs/c")
        #expect(try await b.sync().problems.isEmpty)
        try await a.sync()
        #expect(a.text("docs/a") == nil && a.text("docs/c") == "a")
    }

    @Test(
        "undelete knows it, and whether it was moved or copied",
        arguments: [Way.edited, .copied, .editedInFolder])
    func broughtBack(_ way: Way) async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        try way.carry(out: b)
        let found = try await b.with { try await $0.unsentDeletions() }
        let paths = found.map(\.path.description)
        #expect(paths == (way == .editedInFolder ? ["docs", "docs/a", "docs/b"] : ["docs/a"]))
        #expect(found.allSatisfy { $0.isMovedAway == (way != .copied) })
        _ = try await b.with { try await $0.bringBack(found, SyncOptions()) }
        #expect(b.text("docs/a") == "a" && b.text("docs/b") == "b")
        #expect(try await b.sync().problems.isEmpty)
        try await a.sync()
        #expect(a.text("docs/a") == "a" && a.text("docs/b") == "b")
    }

    @Test("delete of its name deletes it, there or gone", arguments: [false, true])
    func deletedByName(_ isThere: Bool) async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        try b.write(["p": .directory(["a": .file("a")])])
        if !isThere {
            b.remove("docs/a")
            #expect(try await b.sync().publishedCommits == 0)
        }
        let path = try RelativePath("docs/a")
        let report = try await b.with {
            try await $0.delete([path], recursive: false, SyncOptions())
        }
        #expect(report.problems.isEmpty, "\(report.problems)")
        try await a.sync()
        #expect(a.text("docs/a") == nil && a.text("docs/b") == "b")
    }

    @Test(
        "delete of a name that is not in a folder that was moved out finds nothing",
        arguments: [false, true])
    func mistyped(_ isDryRun: Bool) async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        b.rename("docs", "p/moved")
        var options = SyncOptions()
        options.isDryRun = isDryRun
        for name in ["docs/typo", "docs/a/x"] {
            let path = try RelativePath(name)
            let failure = await #expect(throws: Failure.self) {
                try await b.with { [options] in
                    try await $0.delete([path], recursive: false, options)
                }
            }
            #expect(failure?.code == .notFound)
        }
        try await a.sync()
        #expect(a.text("docs/a") == "a" && a.text("docs/b") == "b")
    }
}
