import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// A folder above the chosen paths of a partial replica gives way to something that the replica cannot send.
@Suite("What is in place of a folder above the chosen paths")
struct CoveredPathsTests {
    /// A complete replica `a`, and `b`, which holds `d/e` and `kept`.
    private func pair(_ world: World) async throws -> (Machine, Machine) {
        let a = try await world.replica("a")
        try a.write([
            "d": .directory(["e": .directory(["x": .file("x")]), "other": .file("other")]),
            "kept": .file("kept"),
        ])
        try await a.sync()
        let b = try await world.replica("b", only: ["d/e", "kept"])
        try await b.sync()
        return (a, b)
    }

    enum Cover: String, CaseIterable {
        case symlink = "a symlink"
        case file = "no folder"

        var node: TreeFixture.Node { self == .symlink ? .symlink("/nowhere") : .file("d") }
    }

    @Test("what cannot be seen is deleted nowhere", arguments: Cover.allCases, [false, true])
    func held(_ cover: Cover, _ isWatched: Bool) async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        b.remove("d")
        try b.write(["d": cover.node])
        if isWatched { #expect(try await b.syncChanges("d").report.publishedCommits == 0) }
        let report = try await b.sync()
        let told = report.problems.map(\.failure.description)
        #expect(
            told.contains(
                "d/e: Not sent as deleted, with 1 file in it: d, above the paths that this replica holds, is \(cover.rawValue) now. "
                    + "Put the folder back: a symlink is synced as such and never followed. To delete it on all devices, run "
                    + "filesinki delete -r d/e."), "\(told)")
        #expect(report.publishedCommits == 0)
        try await a.sync()
        #expect(a.text("d/e/x") == "x")
        // It is no deletion any more.
        b.remove("d")
        try b.write(["d": .directory(["e": .directory(["x": .file("x")])])])
        #expect(try await b.sync().problems.isEmpty)
        try await a.sync()
        #expect(a.text("d/e/x") == "x" && a.text("d/other") == "other")
    }

    @Test("delete of its name deletes it", arguments: Cover.allCases, ["d/e", "d/e/x"])
    func deletedByName(_ cover: Cover, _ name: String) async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        b.remove("d")
        try b.write(["d": cover.node])
        let path = try RelativePath(name)
        _ = try await b.with { try await $0.delete([path], recursive: true, SyncOptions()) }
        try await a.sync()
        #expect(a.text("d/e/x") == nil && a.text("d/other") == "other")
    }

    @Test("what was moved within the root is named where it is now")
    func moved() async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        b.rename("d", "moved")
        try b.write(["d": .symlink("moved")])
        let report = try await b.sync()
        // The symlink cannot be sent either: the store has a folder of its name.
        #expect(report.problems.map(\.path.description) == ["d/e", "d"], "\(report.problems)")
        #expect(report.problems.first?.failure.remedy.contains("only add moved/e,") == true)
        try await a.sync()
        #expect(a.text("d/e/x") == "x")
    }

    @Test("what was moved is moved for all once its place is chosen, and the symlink alone stays")
    func movedAndChosen() async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        b.rename("d", "moved")
        try b.write(["d": .symlink("moved")])
        try await b.sync()
        try await b.choose(["d/e", "kept", "moved/e"])
        let told = try await b.sync().problems.map(\.failure.description)
        #expect(
            told == [
                "d: Not sent: the store has a folder of this name, with files that this replica does not hold. Give it another "
                    + "name, or, to hold nothing in that folder any more, run filesinki only remove d/e."
            ])
        try await a.sync()
        #expect(
            a.text("d/e/x") == nil && a.text("moved/e/x") == "x" && a.text("d/other") == "other")
        try await b.choose(["kept", "moved/e"])
        #expect(try await b.sync().problems.isEmpty)
        try await a.sync()
        #expect(a.text("d/other") == "other" && b.target("d") == "moved")
    }

    @Test(
        "a path that cannot be seen, or was moved out, can be held no more",
        arguments: ["d", "d/e"])
    func heldNoMore(_ moved: String) async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        b.rename(moved, "moved")
        if moved == "d" { try b.write(["d": .symlink("moved")]) }
        try await b.sync()
        try await b.choose(["kept"])
        #expect(try await b.sync().problems.isEmpty)
        #expect(b.text(moved == "d" ? "moved/e/x" : "moved/x") == "x")
        #expect(moved == "d/e" || b.target("d") == "moved")
        try await a.sync()
        #expect(a.text("d/e/x") == "x" && a.text("d/other") == "other")
    }

    @Test("a symlink in place of a chosen folder that was moved out waits for what was in that")
    func chosenFolderMoved() async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        b.rename("d/e", "moved")
        try b.write(["d": .directory(["e": .symlink("../moved")])])
        let told = try await b.sync().problems.map(\.failure.description)
        #expect(
            told.contains(
                "d/e: Not sent yet: the store has a folder of this name, and what was in that was not sent as deleted. "
                    + "Decide on that first; the next filesinki sync sends this then."), "\(told)")
        try await b.choose(["d/e", "kept", "moved"])
        #expect(try await b.sync().problems.isEmpty)
        try await a.sync()
        #expect(a.text("moved/x") == "x" && a.target("d/e") == "../moved")
    }

    @Test(
        "delete of a chosen folder that was moved out deletes what is in its place, too",
        arguments: [false, true])
    func chosenFolderDeleted(_ wasSynced: Bool) async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        b.rename("d/e", "moved")
        try b.write(["d": .directory(["e": .symlink("../moved")])])
        if wasSynced { try await b.sync() }
        let path = try RelativePath("d/e")
        var options = SyncOptions()
        options.isDryRun = true
        let plan = try await b.with { [options] in
            try await $0.delete([path], recursive: true, options)
        }
        #expect(
            plan.problems.isEmpty
                && plan.steps.map(\.path.description) == ["d/e", "d/e/x", "d/e"],
            "\(plan.problems) \(plan.steps)")
        let report = try await b.with {
            try await $0.delete([path], recursive: true, SyncOptions())
        }
        #expect(report.problems.isEmpty, "\(report.problems)")
        let sent = report.steps.filter { $0.action.writesTheirs }
        #expect(sent.map(\.action.word) == plan.steps.map(\.action.word), "\(report.steps)")
        #expect(sent.map(\.path) == plan.steps.map(\.path), "\(report.steps)")
        #expect(b.target("d/e") == nil && b.text("moved/x") == "x")
        try await a.sync()
        #expect(a.target("d/e") == nil && a.text("d/e/x") == nil && a.text("d/other") == "other")
    }

    @Test(
        "undelete brings back the folder, and names what was in its place",
        arguments: [false, true])
    func chosenFolderBroughtBack(_ isOneOfSeveral: Bool) async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        b.rename("d/e", "moved")
        try b.write(["d": .directory(["e": .symlink("../moved")])])
        let path = try RelativePath("d/e")
        _ = try await b.with { try await $0.delete([path], recursive: true, SyncOptions()) }
        try await a.sync()
        let made = try await a.with {
            try await isOneOfSeveral
                ? $0.undelete([path], SyncOptions()) : $0.undelete(path, SyncOptions())
        }
        #expect(a.target("d/e") == nil && a.text("d/e/x") == "x")
        let told = made.notices.map(\.failure.description)
        #expect(
            told == [
                "d/e: Before it was deleted, a symlink to ../moved was in its place, and was deleted with it. To "
                    + "print that, run filesinki show d/e@2."
            ])
        // A file or symlink that a sync has sent is what was deleted last.
        a.remove("d/e")
        try a.write(["d": .directory(["e": .symlink("other")])])
        try await a.sync()
        a.remove("d/e")
        try await a.sync()
        _ = try await a.with { try await $0.undelete(path, SyncOptions()) }
        #expect(a.target("d/e") == "other")
    }

    @Test("a folder above that is missing is no deletion while the store has more in it")
    func missingAbove() async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        b.rename("d", "moved")
        #expect(try await b.with { try await $0.localState()?.changes.isEmpty } == true)
        a.remove("d/other")
        try await a.sync()
        try await b.sync()
        b.remove("d")
        b.remove("moved")
        let gone = try await b.with { try await $0.localState()?.changed.map(\.description) }
        #expect(gone == ["d", "d/e", "d/e/x"])
    }

    @Test("of a folder above that was renamed, only the move of the chosen one is told")
    func renamed() async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        b.rename("d", "moved")
        let report = try await b.sync()
        #expect(report.problems.map(\.path.description) == ["d/e"], "\(report.problems)")
        #expect(
            !report.notices.contains { $0.failure.description.contains("which a rule ignores") })
        try await a.sync()
        #expect(a.text("d/e/x") == "x")
    }
}
