import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@Suite("Approval of a replaced store")
struct ApprovedStoreTests {
    private func approval(_ failure: Failure?) throws -> String {
        let words = try #require(failure).remedy.split { " .".contains($0) }
        let flag = try #require(words.firstIndex(of: "--approve"))
        return String(words[words.index(after: flag)])
    }

    private func refusal(_ machine: Machine, approving id: String? = nil) async -> Failure? {
        await #expect(throws: Failure.self) {
            try await machine.sync { $0.approved = id }
        }
    }

    @Test(
        "a rolled-back store is adopted after approval of exactly it, and nothing is deleted anywhere"
    )
    func rolledBack() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("x"), "old": .file("o")])
        let backup = world.store.objects
        a.remove("old")
        try a.write(["new": .file("n")])
        try await a.sync()
        try await b.sync()
        world.store.objects = backup

        let wrong = await refusal(a, approving: "0123456789abcdef")
        #expect(wrong?.code == .wrongStore)
        #expect(try a.names == ["f", "new"])
        let id = try approval(wrong)
        try await a.sync { $0.approved = id }
        let other = try approval(await refusal(b))
        try await b.sync { $0.approved = other }
        try await world.converge()
        #expect(try a.names == ["f", "new", "old"])
    }

    @Test("another store in its place: both trees are merged as at a first sync")
    func swapped() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("x")])
        let other = try World()
        let (h, _) = try await other.pair(["h": .file("z")])
        world.store.objects = other.store.objects
        let id = try approval(await refusal(a))
        try await a.sync { $0.approved = id }
        #expect(try a.names == ["f", "h"])
        #expect(try h.names == ["h"])
    }

    @Test(
        "a store that lost its oldest commit offers a new device no approval, and doctor warns the others"
    )
    func lostBeginning() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("x")])
        try await a.save("second", at: "f")
        let slot = "/log/00000000000000000001/"
        world.store.objects = world.store.objects.filter { !$0.key.description.contains(slot) }
        let new = try await world.replica("new")
        let refused = await refusal(new)
        #expect(refused?.code == .wrongStore)
        #expect(refused?.remedy.contains("--approve") == false)
        #expect(refused?.remedy.contains("remote set NEW --accept") == true)
        // One that has read the commit goes on.
        try a.write(["g": .file("y")])
        #expect(try await a.sync().problems.isEmpty)
        let diagnoses = await Doctor(a.options, .real).diagnose(canReach: true)
        let found = diagnoses.first { $0.name == "history" }
        #expect(found?.level == .error)
        #expect(found?.message.contains("The commit is gone") == true)
    }

    @Test("a dry run does not adopt another store")
    func dryRun() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("x")])
        let other = try World()
        _ = try await other.pair(["h": .file("z")])
        world.store.objects = other.store.objects
        let id = try approval(await refusal(a))
        await #expect(throws: Failure.self) {
            try await a.sync {
                $0.approved = id
                $0.isDryRun = true
            }
        }
        #expect(try approval(await refusal(a)) == id)
    }
}
