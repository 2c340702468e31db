import FilesinkiCommands
import Testing

/// An older copy of the store has all commits of the files, and lacks the newest ones of values and records.
@Suite("remote set, and an older copy of the store that lacks values and records")
struct LackingStoreTests {
    private let world: World

    /// `a` uses `other`; `store` is a copy of it from before the last value and the last record.
    init() async throws {
        world = try await ReplicaTests.pair()
        for line in [
            "kv set theme dark", "rec save T x --zone work --set s=1",
            "remote set other --migrate", "kv set theme light",
            "rec save T y --zone work --set s=1",
        ] {
            try await world.expect("\(line) --root a")
        }
    }

    /// The zones, and what is said of them.
    private let lacked =
        "This store lacks commits that this device has seen, of the key-value store default, of the zone of records work: it "
        + "was copied before them, or is an old copy. "
    private let others =
        " Values and records are not merged: the command says how to go on with them."

    @Test("it is refused, with the zones and both ways on, of which one copies what is lacking")
    func refused() async throws {
        world.remove("store/moved/c")
        let refused = try await world.expect("remote set store --root a", .notAllowed)
        let ways =
            "To copy them from the present remote, run \(world.commandBack) --migrate. To merge both sides as at a "
            + "first sync, so that nothing is lost, run \(world.commandBack) --accept."
        #expect(refused.talk.contains(lacked + ways + others), "\(refused.talk)")
        #expect(
            try await world.expect("remote show --root a").text.contains("\(world.folder)/other"))
        try await world.expect("remote set store --migrate --root a")
        try await world.expect("kv sync --root a")
        try await world.expect("kv sync --root b")
        #expect(try await world.expect("kv get theme --root b").lines == ["light"])
        try await world.expect("rec sync --root a --zone work")
    }

    @Test("--accept says which commands go on with values and records, and they do")
    func accepted() async throws {
        world.remove("store/moved/c")
        let accepted = try await world.expect("remote set store --accept --root a")
        let root = "--root \(world.folder)/a"
        for step in [
            "kv sync \(root) --accept-account", "rec sync \(root) --zone work --accept-account",
        ] {
            #expect(accepted.talk.contains("run filesinki \(step): "), "\(accepted.talk)")
        }
        // The address that the replica has is set again, whatever its zones need.
        try await world.expect("remote set store --root a")
        try await world.expect("kv sync --root a --accept-account")
        try await world.expect("rec sync --root a --zone work --accept-account")
        #expect(try await world.expect("kv get theme --root a").lines == ["dark"])
        let again = try await world.expect("remote set store --accept --root a")
        #expect(!again.talk.contains("--accept-account"), "\(again.talk)")
    }

    @Test("where the place that has them is lost, each refusal names the steps that go on")
    func lost() async throws {
        world.rename("other", to: "gone")
        let refused = try await world.expectStepsBack()
        #expect(refused.contains(lacked), "\(refused)")
        for line in ["remote set store --accept", "remote set store --migrate", "sync"] {
            try await world.expect("\(line) --root a")
        }
        try await world.expect("kv sync --root a --accept-account")
    }

    @Test("a zone that is off, or that this device has not seen, hinders nothing")
    func unseen() async throws {
        world.remove("store/moved/c")
        try await world.expect("remote set other --root b")
        try await world.expect("remote set store --root b")
        try await world.expect("kv off --root a")
        let refused = try await world.expect("remote set store --root a", .notAllowed)
        #expect(
            refused.talk.contains("has seen, of the zone of records work: it was"),
            "\(refused.talk)")
    }
}
