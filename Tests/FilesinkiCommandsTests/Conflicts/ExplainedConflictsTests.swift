import FilesinkiCommands
import Testing

/// `explain` of the paths of a conflict that is open.
@Suite("explain of an open conflict")
struct ExplainedConflictsTests {
    private static func world() async throws -> (World, copy: String) {
        let world = try await ReplicaTests.pair()
        for name in ["a", "b"] { try world.write("from " + name, to: name + "/one") }
        try await world.done("sync", "a")
        for name in ["b", "a"] { _ = try await world.run("sync", name) }
        let copy = try #require(world.names(in: "b").first { $0.contains("(conflict ") })
        return (world, copy)
    }

    private func explained(
        _ world: World, _ root: String, _ path: String
    ) async throws -> [String] {
        let outcome = try await world.run("explain", "--root", root, path)
        #expect(outcome.code == .done, "\(outcome.talk)")
        return outcome.lines
    }

    @Test(
        "of the file and of its conflict copy it names conflicts and resolve, on each device",
        arguments: ["a", "b"])
    func named(_ root: String) async throws {
        let (world, copy) = try await Self.world()
        let place = "--root \(world.folder)/\(root)"
        let next =
            "See filesinki conflicts \(place). To end it: filesinki resolve \(place) one --take "
        let file = try await explained(world, root, "one")
        let ofFile = "A conflict is open: the other version is in \(copy). \(next)"
        #expect(file.contains { $0.hasPrefix(ofFile) }, "\(file)")
        let other = try await explained(world, root, copy)
        let ofCopy = "The other version of one, whose conflict is open. \(next)"
        #expect(other.contains { $0.hasPrefix(ofCopy) }, "\(other)")
        let none = try await explained(world, root, "sub/two")
        #expect(!none.contains { $0.contains("conflict") }, "\(none)")
        try await world.done("resolve", "--root", root, "one", "--take", "here")
        let ended = try await explained(world, root, "one")
        #expect(!ended.contains { $0.contains("conflict is open") }, "\(ended)")
    }

    @Test("of one that a rule ignores, it names conflicts only")
    func ignored() async throws {
        let (world, _) = try await Self.world()
        try world.write("one\n", to: "b/.filesinkiignore")
        let lines = try await explained(world, "b", "one")
        let told = lines.first { $0.hasPrefix("A conflict is open: ") }
        #expect(told?.hasSuffix(" See filesinki conflicts --root \(world.folder)/b.") == true)
        #expect(!lines.contains { $0.contains("filesinki resolve") }, "\(lines)")
    }
}
