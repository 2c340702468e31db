import FilesinkiCommands
import FilesinkiModel
import Testing

/// A replica leaves its store for another one: what the first one has deleted must not come into the other.
@Suite("remote set --accept, and the store that is left")
struct AcceptedStoreTests {
    private let world: World

    /// `a` and `b` at one store, and another store with nothing in it.
    init() async throws {
        world = try await ReplicaTests.pair()
        try await world.makeStore("clean")
    }

    /// `a` deletes a file, and goes over.
    private func leave() async throws {
        world.remove("a/one")
        try await world.expect("sync a")
        try await world.expect("remote set clean --accept --root a")
        try await world.expect("sync a")
    }

    @Test(
        "a device that has not received a deletion is refused, and after a sync sends nothing of it"
    )
    func refused() async throws {
        try await leave()
        let refused = try await world.expect("remote set clean --accept --root b", .negative)
        #expect(refused.talk.contains("has commits that were not received here"), "\(refused.talk)")
        #expect(refused.talk.contains("filesinki sync --root \(world.folder)/b"), "\(refused.talk)")
        #expect(
            try await world.expect("remote show --root b").text.contains("\(world.folder)/store"))
        try await world.expect("sync b")
        let accepted = try await world.expect("remote set clean --accept --root b")
        #expect(!accepted.talk.contains("cannot be read"), "\(accepted.talk)")
        try await world.expect("sync b")
        try await world.expect("sync a")
        #expect(world.read("a/one") == nil && world.readText("b/sub/two") == "two\n")
    }

    @Test("a deletion that was received for other paths, and waits here, counts as well")
    func waiting() async throws {
        try await leave()
        try await world.expect("sync b/sub")
        let refused = try await world.expect("remote set clean --accept --root b", .negative)
        #expect(refused.talk.contains("1 deletion of the store that this"), "\(refused.talk)")
        try await world.expect("sync b")
        try await world.expect("remote set clean --accept --root b")
    }

    @Test(
        "a deletion that was made here and not sent counts as well: of the folder, or by name with the store away",
        arguments: [false, true])
    func unsent(_ isByName: Bool) async throws {
        if isByName {
            world.rename("store", to: "away")
            try await world.expect("rm --root b one")
            world.rename("away", to: "store")
        } else {
            world.remove("b/one")
        }
        let refused = try await world.expect("remote set clean --accept --root b", .negative)
        #expect(
            refused.talk.contains(
                "one: 1 deletion here was not sent to the store that this replica leaves: what was deleted comes back "
                    + "if the new store has it. Run filesinki sync --root \(world.folder)/b, and then this command again."
            ), "\(refused.talk)")
        #expect(
            try await world.expect("remote show --root b").text.contains("\(world.folder)/store"))
        try await world.expect("sync b")
        try await world.expect("remote set clean --accept --root b")
    }

    @Test("with the store lost, what will come back is named, with what deletes it again")
    func comingBack() async throws {
        for path in ["b/one", "b/sub/two"] { world.remove(path) }
        world.rename("store", to: "gone")
        try await world.expect("remote set clean --accept --root a")
        try await world.expect("sync a")
        let accepted = try await world.expect("remote set clean --accept --root b")
        #expect(
            accepted.talk.contains(
                "one: 2 paths that were deleted here and not sent come back if the new store has them. If so, delete them "
                    + "again after the next sync: filesinki rm "), "\(accepted.talk)")
        #expect(accepted.talk.contains("one sub/two\n"), "\(accepted.talk)")
        try await world.expect("sync b")
        try await world.expect("rm --root b one sub/two")
        try await world.expect("sync a")
        #expect(world.read("a/one") == nil && world.read("b/one") == nil)
    }

    @Test("so it is where a new store has the address of the lost one, by either way")
    func comingBackAtTheSameAddress() async throws {
        world.remove("b/one")
        world.rename("store", to: "gone")
        try await world.makeStore("store")
        let sentence =
            "1 path that was deleted here and not sent comes back if the new store has it. If so, delete it again after the "
            + "next sync: filesinki rm "
        let asked = try await world.expect("sync b", .notAllowed)
        #expect(asked.talk.contains(sentence), "\(asked.talk)")
        let accepted = try await world.expect("remote set store --accept --root b")
        #expect(accepted.talk.contains(sentence), "\(accepted.talk)")
    }

    @Test("an old copy of a store that is lost is accepted first, as nothing can be copied to it")
    func oldCopyOfLost() async throws {
        try await world.expect("remote set other --migrate --root a")
        try world.write("later", to: "a/later")
        try await world.expect("sync a")
        let next = "filesinki remote set --root \(world.folder)/a \(world.folder)/store"
        let both = try await world.expect("remote set store --root a", .notAllowed)
        #expect(
            both.talk.contains("from the present remote, run \(next) --migrate."), "\(both.talk)")
        world.rename("other", to: "gone")
        let old = try await world.expect("remote set store --root a", .notAllowed)
        #expect(
            old.talk.contains(
                "The present remote, which has them, was not reached. If it is lost, run \(next) --accept, then "
                    + "\(next) --migrate, which goes on there, and then filesinki sync --root \(world.folder)/a: both sides"
            ), "\(old.talk)")
        #expect(
            old.talk.contains("If it comes back, \(next) --migrate copies them."), "\(old.talk)")
        try await world.expect("remote set store --accept --root a")
    }

    @Test("a store that cannot be read any more is left with a notice")
    func unread() async throws {
        try await leave()
        world.rename("store", to: "gone")
        let accepted = try await world.expect("remote set clean --accept --root b")
        #expect(
            accepted.talk.contains("The store that this replica leaves cannot be read:"),
            "\(accepted.talk)")
        #expect(
            try await world.expect("remote show --root b").text.contains("\(world.folder)/clean"))
    }

    @Test(
        "a store with another one in its place is left with a notice that claims nothing of the command"
    )
    func replaced() async throws {
        try await leave()
        world.rename("store", to: "gone")
        try await world.makeStore("store")
        let accepted = try await world.expect("remote set clean --accept --root b")
        #expect(
            accepted.talk.contains(
                "The store that this replica leaves cannot be read: This is not the store of this replica. "
                    + "What was deleted there and not received here is sent again from here by the next sync."
            ),
            "\(accepted.talk)")
        #expect(accepted.talk.hasSuffix("The remote is \(world.folder)/clean.\n"))
    }

    @Test("deinit is refused until the deletion is received: a new store would get the file again")
    func removed() async throws {
        try await leave()
        let refused = try await world.expect("deinit b", .negative)
        #expect(
            refused.talk.contains("1 commit of the store was not received here"), "\(refused.talk)")
        #expect(world.names(in: "b").contains(".filesinki"))
        try await world.expect("sync b")
        try await world.expect("deinit b")
        #expect(world.read("b/one") == nil)
    }

    @Test("deinit goes on without a store that cannot be read, and says so")
    func removedUnread() async throws {
        try await leave()
        world.rename("store", to: "gone")
        let done = try await world.expect("deinit b")
        #expect(done.talk.contains("leaves cannot be read:"), "\(done.talk)")
        #expect(done.talk.contains("by a replica that is made here later"), "\(done.talk)")
        #expect(!world.names(in: "b").contains(".filesinki"))
    }

    @Test("status says until the next sync that this store was not synced yet")
    func status() async throws {
        let sentence = "Not synced with this store yet; the next sync compares both sides."
        try await world.expect("remote set clean --accept --root a")
        let status = try await world.expect("status a").lines
        #expect(status.contains(sentence), "\(status)")
        #expect(!status.contains { $0.contains("Last synced") }, "\(status)")
        world.wait(seconds: 120)
        let stale = try await world.expect("status a --max-age 1m", .negative).lines
        #expect(stale.contains("Stale. " + sentence), "\(stale)")
        try await world.expect("sync a")
        let synced = try await world.expect("status a").text
        #expect(synced.contains("Up to date. Last synced"), "\(synced)")
    }

    @Test("values of the store that is left are named, with how to take them along, until they are")
    func values() async throws {
        for line in ["kv set theme dark --root a", "kv set n 5 --root a"] {
            try await world.expect(line)
        }
        let root = "--root \(world.folder)/a"
        let remedy =
            "To use this store, run filesinki kv sync \(root) --accept-account: its values then replace the local "
            + "ones, which are archived. To keep the local ones, run filesinki kv export \(root) -o FILE before, and "
            + "filesinki kv import \(root) FILE after it, which replaces also what is newer there."
        let left = "2 values are of the former store, and not synced with this one. \(remedy)"
        let accepted = try await world.expect("remote set clean --accept --root a")
        #expect(accepted.talk.contains(left), "\(accepted.talk)")
        let run = try await world.expect("sync a")
        #expect(run.talk.contains(left), "\(run.talk)")
        let status = try await world.expect("status a").text
        #expect(status.contains(left), "\(status)")
        let refused = try await world.expect("kv set new 1 --root a", .notAllowed)
        let other =
            "This is not the store of this replica. What is here stays, and is not sent. "
        #expect(refused.talk.contains(other + remedy), "\(refused.talk)")
        let kept = try await world.expect("deinit a", .negative)
        #expect(kept.talk.contains("3 values are of the former store"), "\(kept.talk)")
        #expect(world.names(in: "a").contains(".filesinki"))
        for line in ["export -o values", "sync --accept-account", "import values"] {
            try await world.expect("kv \(line) --root a")
        }
        let archived = try await world.expect("deinit a", .negative)
        let archive =
            ": This archive of values or records of a former store would go. Move it to another place, or give --force: all "
            + "files stay.\n"
        #expect(
            archived.talk.hasPrefix("filesinki: \(world.folder)/a/.filesinki/kv/default.archive-")
                && archived.talk.hasSuffix(archive), "\(archived.talk)")
        #expect(try await world.expect("kv get theme --root a").lines == ["dark"])
        #expect(try await world.expect("kv get new --root a").lines == ["1"])
        #expect(try await !world.expect("sync a").talk.contains("former store"))
    }

    @Test("delete --keep says to sync every device before a new store is begun")
    func recipe() async throws {
        try world.write("one\n", to: "a/.filesinkiignore")
        try await world.expect("sync a")
        let kept = try await world.expect("delete --root a --keep one")
        #expect(kept.talk.contains("sync every device first, with the rule in .filesinkiignore"))
    }
}
