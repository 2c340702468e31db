import FilesinkiCommands
import Testing

/// A file was edited after its conflict had been resolved.
@Suite("An undo of a resolve after an edit")
struct LaterEditTests {
    /// `b` has resolved the conflict of `one.txt` as version 4, and taken the copy with the name that is returned.
    private static func resolved() async throws -> (World, copy: String) {
        let world = try await World.withConflicts()
        let copy = try #require(world.names(in: "b").first { $0.hasPrefix("one (conflict ") })
        try await world.done("resolve", "one.txt", "--take", "here")
        return (world, copy)
    }

    private static func folded(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static func remedy(_ copy: String) -> String {
        "To have the conflict copy back beside it, run filesinki undelete '\(copy)'; "
            + "filesinki log one.txt lists the other versions."
    }

    @Test("what was edited here stays, synced or not", arguments: [true, false])
    func here(_ isSynced: Bool) async throws {
        let (world, copy) = try await Self.resolved()
        try world.write("later\n", to: "b/one.txt")
        if isSynced { _ = try await world.run("sync") }
        let outcome = try await world.run("resolve", "--undo", "one.txt")
        #expect(outcome.code == .usage, "\(outcome.talk)")
        let told =
            "one.txt: It was edited after the resolve, and the undo would replace that. "
            + Self.remedy(copy)
        #expect(Self.folded(outcome.talk).contains(told), "\(outcome.talk)")
        #expect(world.readText("b/one.txt") == "later\n")
        // The remedy.
        _ = try await world.run("undelete", copy)
        #expect(world.readText("b/\(copy)") == "b\n")
        #expect(world.readText("b/one.txt") == "later\n")
    }

    @Test("what was written under the name of the copy stays")
    func inPlaceOfTheCopy() async throws {
        let (world, copy) = try await Self.resolved()
        try world.write("by hand\n", to: "b/\(copy)")
        for name in ["one.txt", copy] {
            let outcome = try await world.run("resolve", "--undo", name)
            #expect(outcome.code == .usage)
            #expect(
                Self.folded(outcome.talk)
                    == "filesinki: \(copy): It was written after the resolve, and the undo would replace that. "
                    + "Move it away first with filesinki mv '\(copy)' NEW, then run filesinki resolve --undo one.txt again."
            )
        }
        #expect(world.readText("b/\(copy)") == "by hand\n")
        #expect(try await world.run("conflicts").lines.allSatisfy { !$0.hasPrefix("one.txt") })
        // The remedy.
        try await world.done("mv", copy, "new.txt")
        try await world.done("resolve", "--undo", "one.txt")
        #expect(world.readText("b/new.txt") == "by hand\n")
        #expect(world.readText("b/\(copy)") == "b\n")
    }

    @Test("a copy that was brought back as it was does not hinder")
    func copyIsBack() async throws {
        let (world, copy) = try await Self.resolved()
        try world.write("b\n", to: "b/\(copy)")
        try await world.done("resolve", "--undo", "one.txt")
        #expect(world.readText("b/\(copy)") == "b\n")
        #expect(try await world.run("conflicts").lines.contains { $0.hasPrefix("one.txt") })
    }

    @Test("what another device has written stays")
    func elsewhere() async throws {
        let (world, copy) = try await Self.resolved()
        _ = try await world.run("sync", "--root", world.folder + "/a")
        try world.write("later\n", to: "a/one.txt")
        _ = try await world.run("sync", "--root", world.folder + "/a")
        let outcome = try await world.run("resolve", "--undo", "one.txt")
        #expect(outcome.code == ExitCode.partial, "\(outcome.talk)")
        let told =
            "one.txt: a has edited it after the resolve, in version 5, and the undo would replace that. "
            + "Run filesinki sync to receive it. " + Self.remedy(copy)
        #expect(Self.folded(outcome.talk).contains(told), "\(outcome.talk)")
        #expect(world.readText("b/one.txt") == "b\n")
        _ = try await world.run("sync")
        #expect(world.readText("b/one.txt") == "later\n")
    }

    @Test(
        "where another device has resolved it, what was synced later stays, too",
        arguments: ["here", "there"], ["a", "b"])
    func resolvedElsewhere(_ side: String, writer: String) async throws {
        let world = try await World.withConflicts()
        let copy = try #require(world.names(in: "b").first { $0.hasPrefix("one (conflict ") })
        let a = world.folder + "/a"
        try await world.done("sync", "--root", a)
        try await world.done("resolve", "--root", a, "one.txt", "--take", side)
        try await world.done("sync")
        try world.write("later\n", to: writer + "/one.txt")
        try await world.done("sync", "--root", "\(world.folder)/\(writer)")
        try await world.done("sync")
        // An undo is not proposed, and the edit is not what was resolved.
        let again = try await world.run("resolve", "one.txt", "--take", "there")
        #expect(again.code == .negative, "\(again.talk)")
        let told = "one.txt: a has resolved it, and it was edited since. " + Self.remedy(copy)
        #expect(Self.folded(again.talk).contains(told), "\(again.talk)")
        let outcome = try await world.run("resolve", "--undo", "one.txt")
        #expect(outcome.code == .usage, "\(outcome.talk)")
        #expect(Self.folded(outcome.talk).contains(Self.remedy(copy)), "\(outcome.talk)")
        #expect(world.readText("b/one.txt") == "later\n")
        // The remedy.
        _ = try await world.run("undelete", copy)
        #expect(world.readText("b/\(copy)") == "b\n")
        #expect(world.readText("b/one.txt") == "later\n")
    }

    @Test(
        "the resolve of another device is undone as long as nothing was written after it",
        arguments: ["here", "there"])
    func undone(_ side: String) async throws {
        let world = try await World.withConflicts()
        let a = world.folder + "/a"
        try await world.done("sync", "--root", a)
        try await world.done("resolve", "--root", a, "one.txt", "--take", side)
        try await world.done("sync")
        let outcome = try await world.run("resolve", "--undo", "one.txt")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(world.names(in: "b").contains { $0.hasPrefix("one (conflict ") })
    }
}
