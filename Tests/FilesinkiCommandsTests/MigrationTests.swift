import FilesinkiCommands
import FilesinkiModel
import FilesinkiTesting
import Testing

/// What devices learn of a store that was moved.
@Suite("remote set --migrate, on the other devices")
struct MigrationTests {
    private let world: World

    init() async throws { world = try await GoldenTests.pair() }

    private var next: String { "filesinki remote set --root \(world.folder)/b" }

    private func moved(to place: String) -> String {
        "The store was moved to \(world.folder)/\(place) by a (a path of that machine)."
    }

    private func follow(to place: String) -> String {
        "If you know that address, run \(next) \(world.folder)/\(place)."
    }

    @Test("a device at the old store says so, with the command to follow, until it has followed")
    func told() async throws {
        try await world.expect("remote set other --migrate --root a")
        #expect(world.names(in: "store/moved").count == 1)
        let moved = moved(to: "other")
        for _ in 1...2 {
            #expect(
                try await world.expect("sync b").talk.contains(moved + " " + follow(to: "other")))
        }
        let status = try await world.expect("status b").text
        #expect(
            status.contains(moved) && status.contains("\(next) \(world.folder)/other"), "\(status)")
        #expect(
            try await world.expect("status b --json").text.contains(
                #""moved_to":"\#(world.folder)/other","moved_by":"a""#))
        try await world.expect("remote set other --root b")
        #expect(try await !world.expect("status b").text.contains("moved"))
        #expect(try await !world.expect("sync b").talk.contains("moved"))
        #expect(try await !world.expect("sync a").talk.contains("moved"))
    }

    @Test("a store that was moved is not moved to another place by a device at the old one")
    func movedTwice() async throws {
        try await world.expect("remote set other --migrate --root a")
        let refused = try await world.expect("remote set third --migrate --root b", .negative)
        #expect(refused.talk.contains(moved(to: "other")))
        #expect(world.names(in: "third").isEmpty)
        let back = "filesinki remote set --root \(world.folder)/b \(world.folder)/store --migrate"
        #expect(refused.talk.contains(back), "\(refused.talk)")
        try await world.expect("remote set store --migrate --root b")
        try await world.expect("remote set third --migrate --root b")
        try await world.expect("remote set other --migrate --root a")
    }

    @Test("whoever syncs with the old store, or asks doctor or remote check, is told at once")
    func atOnce() async throws {
        try await world.expect("remote set other --migrate --root a")
        let moved = moved(to: "other")
        #expect(try await !world.expect("remote show --root b").talk.contains("moved"))
        let asked = try await world.expect("remote show --moved --root b")
        #expect(asked.talk.contains(moved), "\(asked.talk)")
        #expect(asked.lines == ["\(world.folder)/store"])
        #expect(try await world.expect("sync -q b").talk.contains(moved))
        let doctor = try await world.expect("doctor b").text
        #expect(doctor.contains(moved), "\(doctor)")
        #expect(doctor.contains("filesinki remote set --root \(world.folder)/b"), "\(doctor)")
        #expect(try await world.expect("remote check --root b").talk.contains(moved))
        let commits = world.names(in: "store/zones/files/log").count
        try world.write("late", to: "b/late")
        #expect(try await world.expect("sync -q b", .notAllowed).talk.contains(moved))
        // Nothing was sent, also by a run for one path.
        try await world.expect("sync -q b/late", .notAllowed)
        #expect(world.names(in: "store/zones/files/log").count == commits)
        let status = try await world.expect("status b").text
        #expect(status.contains("The store was moved to"))
        #expect(!status.contains("not the store of this replica"), "\(status)")
        #expect(try await world.expect("status b --short").lines == ["1 pending, moved"])
        for line in ["mv --root b one uno", "rm --root b two"] {
            #expect(try await world.expect(line, .notAllowed).talk.contains(moved), "\(line)")
        }
        #expect(world.names(in: "store/zones/files/log").count == commits)
        #expect(try await !world.expect("doctor a").text.contains("moved"))
    }

    @Test(
        "values and records are not sent to the old store, either, but to the new one",
        arguments: [
            ("kv set k", "kv get k", "kv sync"),
            ("rec save Note n --set v:int=", "rec get n", "rec sync"),
        ])
    func items(_ save: String, _ get: String, _ sync: String) async throws {
        func saved(_ value: Int) -> String {
            save.hasSuffix("=") ? "\(save)\(value) --root b" : "\(save) \(value) --root b"
        }
        try await world.expect(saved(4141))
        try await world.expect("remote set other --migrate --root a")
        for line in [saved(4242), "\(sync) --root b"] {
            let stopped = try await world.expect(line, .notAllowed)
            let moved = moved(to: "other") + " Nothing was sent;"
            #expect(stopped.talk.contains(moved), "\(stopped.talk)")
            let back =
                "filesinki remote set --root \(world.folder)/b \(world.folder)/store --migrate"
            #expect(stopped.talk.contains(back), "\(stopped.talk)")
        }
        try await world.expect("remote set other --root b")
        try await world.expect("\(sync) --root b")
        try await world.expect("\(sync) --root a")
        let got = try await world.expect("\(get) --root a")
        #expect(got.text.contains("4242"), "\(got.text)")
    }

    @Test(
        "a device at the old store prunes nothing and forgets no device, and is told where it reads"
    )
    func changes() async throws {
        try await world.expect("remote set other --migrate --root a")
        let files = world.names(in: "store/zones/files")
        let commits = world.names(in: "store/zones/files/log")
        let told = moved(to: "other") + " " + follow(to: "other")
        for line in ["prune --keep-last 1 --root b", "devices forget a --root b"] {
            let refused = try await world.expect(line, .notAllowed)
            let back = " If it is gone, \(next) \(world.folder)/store --migrate goes on here."
            #expect(refused.talk.contains(told + back), "\(refused.talk)")
        }
        #expect(world.names(in: "store/zones/files") == files)
        #expect(world.names(in: "store/zones/files/log") == commits)
        try await world.expect("sync b")
        for line in ["devices --root b", "log --root b", "log one --root b"] {
            let read = try await world.expect(line)
            #expect(read.talk.contains(told), "\(line): \(read.talk)")
            #expect(!read.lines.isEmpty)
        }
    }

    @Test("what waits is saved again, and deleted only where the history has it")
    func waiting() async throws {
        try await world.expect("remote set other --migrate --root a")
        let back = " If it is gone, \(next) \(world.folder)/store --migrate goes on here."
        let moved = moved(to: "other") + " " + follow(to: "other") + back
        for text in ["first", "second"] {
            let saved = try await world.run(
                "save", "--root", "b", "one", input: Array(text.utf8))
            #expect(saved.code == .notAllowed)
            #expect(
                saved.talk
                    == "filesinki: \(moved) one: Saved here, not yet published; the next run that can will do that.\n"
            )
            #expect(world.readText("b/one") == text)
        }
        for line in ["rm --root b one", "rm --root b -n one", "rm --root b two one"] {
            #expect(
                try await world.expect(line, .notAllowed).talk
                    == "filesinki: one: This was not synced yet, and nothing is sent to a store that was moved: nothing "
                    + "could bring it back. Nothing was deleted. \(moved)\n")
            #expect(world.readText("b/one") == "second" && world.readText("b/two") == "two\n")
        }
        #expect(
            try await world.expect("rm --root b two", .notAllowed).talk
                == "filesinki: \(moved) two: Deleted here, not yet published; the next run that can will do that.\n"
        )
        let again = try await world.expect("rm --root b two", .negative)
        #expect(again.talk.contains("two: Deleted or renamed here already; not yet published."))
        for line in ["remote set other --root b", "sync b", "sync a"] {
            try await world.expect(line)
        }
        #expect(world.readText("a/one") == "second" && world.read("a/two") == nil)
    }

    @Test(
        "a plan that would send something says that the run would stop, and exits as the run does")
    func planned() async throws {
        try await world.expect("remote set other --migrate --root a")
        let moved = moved(to: "other")
        let follow = follow(to: "other")
        #expect(try await world.expect("sync -n b").talk.contains("\(moved) \(follow)\n"))
        try world.write("late", to: "b/late")
        for line in ["sync -n b", "sync -n b/late"] {
            let plan = try await world.expect(line, .notAllowed)
            #expect(
                plan.talk.contains(
                    "\(moved) The run would stop, and send nothing. \(follow) If it is gone, \(next) "
                        + "\(world.folder)/store --migrate goes on here.\n"), "\(plan.talk)")
            #expect(plan.lines.contains { $0.contains("late") }, "\(plan.text)")
        }
        let json = try await world.expect("sync -n b --json", .notAllowed)
        #expect(json.lines.last?.contains(#""exit":7"#) == true, "\(json.text)")
    }

    @Test("a first sync with the old store says so at once")
    func clone() async throws {
        try await world.expect("remote set other --migrate --root a")
        #expect(try await world.expect("clone store c").talk.contains("The store was moved to "))
        #expect(try await !world.expect("clone other d").talk.contains("moved"))
    }

    @Test("a move there and back leaves a note at the other place only")
    func back() async throws {
        try await world.expect("remote set other --migrate --root a")
        try await world.expect("remote set other --migrate --root a")
        #expect(world.names(in: "store/moved").count == 1)
        try await world.expect("remote set store --migrate --root a")
        #expect(world.names(in: "store/moved").isEmpty)
        #expect(world.names(in: "other/moved").count == 1)
        #expect(try await !world.expect("sync b").talk.contains("moved"))
        try await world.expect("check --root b --read-data")
    }

    @Test("a store is not copied into itself, or into another store")
    func inside() async throws {
        for place in ["store/sub", "store/sub/deep"] {
            let refused = try await world.expect("remote set \(place) --migrate --root a", .usage)
            #expect(
                refused.talk.contains(
                    "\(world.folder)/\(place): The folder is inside the store \(world.folder)/store. Use a folder outside of "
                        + "it: who removes that store removes the copy, too."), "\(refused.talk)")
        }
        #expect(!world.names(in: "store").contains("sub"))
        #expect(world.names(in: "store/moved").isEmpty)
    }

    @Test("nothing is made at the new place where the store cannot be read")
    func unmounted() async throws {
        world.rename("store", to: "elsewhere")
        try await world.expect("remote set fresh --migrate --root a", .away)
        #expect(!world.names().contains("fresh"))
    }

    @Test("a move to the address that the store has copies nothing, and says so")
    func sameAddress() async throws {
        let outcome = try await world.expect("remote set store --migrate --root a")
        #expect(
            outcome.talk.contains("The store is at this address already; nothing was copied."),
            "\(outcome.talk)")
        #expect(!outcome.talk.contains("Copied"))
    }

    @Test("a move that is taken back says so, and a store that was moved on is told at once")
    func movedOn() async throws {
        try await world.expect("remote set other --migrate --root a")
        try await world.expect("remote set third --migrate --root a")
        let copied = try await world.expect("remote set other --migrate --root b", .negative)
        #expect(
            copied.talk.contains(
                moved(to: "third") + " Nothing was copied. " + follow(to: "third")
                    + " If that is gone, run \(next) \(world.folder)/other, and then "
                    + "\(next) \(world.folder)/other --migrate, which goes on there."),
            "\(copied.talk)")
        #expect(world.names(in: "other/moved").count == 1)
        let followed = try await world.expect("remote set other --root b")
        let told = moved(to: "third") + " " + follow(to: "third")
        #expect(followed.talk.contains(told), "\(followed.talk)")
        let back = try await world.expect("remote set other --migrate --root b")
        #expect(
            back.talk.contains(
                "The store is at this address already; nothing was copied. It goes on here: the note that it was moved "
                    + "to \(world.folder)/third was removed."), "\(back.talk)")
        #expect(try await !world.expect("sync b").talk.contains("moved"))
    }

    @Test(
        "what waits at a device when the store is moved is merged in the new one, upon the known base"
    )
    func followed() async throws {
        let lines = (1...9).map { "line \($0)\n" }
        try world.write(lines.joined(), to: "a/text")
        try await world.expect("sync a")
        try await world.expect("sync b")
        try await world.expect("remote set other --migrate --root a")
        try world.write((["a\n"] + lines.dropFirst()).joined(), to: "a/text")
        try await world.expect("sync a")
        try world.write((lines.dropLast() + ["b\n"]).joined(), to: "b/text")
        world.remove("b/two")
        try await world.expect("sync b", .notAllowed)
        try await world.expect("remote set other --root b")
        try await world.expect("sync b")
        try await world.expect("sync a")
        #expect(world.readText("a/text") == (["a\n"] + lines[1..<8] + ["b\n"]).joined())
        #expect(world.read("a/two") == nil && world.read("b/two") == nil)
    }

    /// A sync of `b` with the old store by a program that does not know the note.
    private func syncUnaware() async throws {
        world.rename("store/moved", to: "note")
        try await world.expect("sync b")
        world.rename("note", to: "store/moved")
    }

    @Test("what a device sent to the old store is copied, too, while nobody uses the new one")
    func followedLate() async throws {
        try await world.expect("remote set other --migrate --root a")
        try world.write("late", to: "b/late")
        try world.write("edited", to: "b/one")
        world.remove("b/two")
        try await syncUnaware()
        let refused = try await world.expect("remote set other --root b", .notAllowed)
        let next = "filesinki remote set --root \(world.folder)/b \(world.folder)/other"
        #expect(refused.talk.contains("\(next) --migrate"), "\(refused.talk)")
        #expect(refused.talk.contains("\(next) --accept"), "\(refused.talk)")
        #expect(
            try await world.expect("remote show --root b").text.contains("\(world.folder)/store"))
        try await world.expect("remote set other --migrate --root b")
        try await world.expect("sync b")
        try await world.expect("sync a")
        #expect(world.readText("a/one") == "edited" && world.readText("a/late") == "late")
        #expect(world.read("a/two") == nil && world.read("b/two") == nil)
    }

    @Test("stores that both went on are not joined: the copy stays readable, and --accept merges")
    func bothUsed() async throws {
        try await world.expect("remote set other --migrate --root a")
        for name in ["b/n1", "b/n2"] {
            try world.write(name, to: name)
            try await syncUnaware()
        }
        try world.write("a", to: "a/mine")
        try await world.expect("sync a")
        // What would not succeed is not offered.
        let refused = try await world.expect("remote set other --root b", .notAllowed)
        #expect(refused.talk.contains("both stores were used since"), "\(refused.talk)")
        #expect(!refused.talk.contains("--migrate"), "\(refused.talk)")
        let accept = "filesinki remote set --root \(world.folder)/b \(world.folder)/other --accept:"
        let copied = try await world.expect("remote set other --migrate --root b", .negative)
        #expect(copied.talk.contains("cannot be joined"), "\(copied.talk)")
        #expect(copied.talk.contains(accept), "\(copied.talk)")
        try await world.expect("check --root a --read-data")
        try await world.expect("remote set other --accept --root b")
        try await world.expect("sync b")
        try await world.expect("sync a")
        for name in ["n1", "n2", "mine"] {
            #expect(world.read("a/" + name) != nil && world.read("b/" + name) != nil, "\(name)")
        }
    }

    @Test("init with a wrong address may be repeated with the right one, until it has met a store")
    func corrected() async throws {
        let first = try await world.expect("init c --remote missing/typo/store", .away)
        let again =
            "The address is kept. When it can be reached, run filesinki init --root \(world.folder)/c --remote "
            + "\(world.folder)/missing/typo/store again, which connects to the store there or makes it; with another URL"
        #expect(first.talk.contains(again), "\(first.talk)")
        world.network.connect = { address, _ in
            throw Failure(.notAllowed, path: address, "No entry.", remedy: "")
        }
        let refused = try await world.expect("init c --remote https://nas", .notAllowed)
        let kept =
            "Nothing was changed: the replica keeps the address \(world.folder)/missing/typo/store."
        #expect(refused.talk.contains(kept), "\(refused.talk)")
        // A folder that is new is made no replica.
        let none = try await world.expect("init d --remote https://nas", .notAllowed)
        #expect(!none.talk.contains("keeps") && !world.names().contains("d"), "\(none.talk)")
        let right = try await world.expect("init c --remote store")
        #expect(!right.talk.contains("is kept"), "\(right.talk)")
        try await world.expect("sync c")
        #expect(world.read("c/one") != nil)
        try await world.expect("init c --remote other", .negative)
    }

    @Test("init at a network address that cannot be reached is run again, as a sync makes no store")
    func unreachedNetwork() async throws {
        let remote = FaultyRemote(MemoryRemote(address: "https://nas"))
        remote.failure = Failure(.away, path: "https://nas", "Not reached.", remedy: "Wait.")
        world.network.connect = { _, _ in remote }
        let away = try await world.expect("init c --remote https://nas", .away)
        let again = "filesinki init --root \(world.folder)/c --remote https://nas"
        #expect(
            away.talk.hasSuffix(
                "The address is kept. When it can be reached, run \(again) again, which connects to the "
                    + "store there or makes it; with another URL if this one is wrong.\n"),
            "\(away.talk)")
        remote.failure = nil
        let none = try await world.expect("sync c", .negative)
        #expect(none.talk.contains("No store was found there."), "\(none.talk)")
        try await world.expect("init --root \(world.folder)/c --remote https://nas")
        try await world.expect("sync c")
    }

    @Test("the command for the other devices is one that a shell takes")
    func quoted() async throws {
        let line = ["remote", "set", "to other", "--migrate", "--root", "a"]
        let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
        let next = "run filesinki remote set '\(world.folder)/to other' before it syncs again."
        #expect(outcome.talk.contains(next), "\(outcome.talk)")
    }

    @Test("in an encrypted store the note is sealed, and other bytes are no note")
    func sealed() async throws {
        world.set("FILESINKI_PASSPHRASE", to: "secret")
        try await world.expect("remote set sealed --migrate --encrypt --root a")
        try await world.expect("remote set hidden --migrate --root a")
        let name = try #require(world.names(in: "sealed/moved").first)
        let bytes = try #require(world.read("sealed/moved/" + name))
        #expect(!String(decoding: bytes, as: UTF8.self).contains("hidden"))
        try await world.expect("remote set sealed --root b")
        #expect(try await world.expect("sync b").talk.contains("moved to \(world.folder)/hidden"))
        try world.write([UInt8](repeating: 7, count: 300), to: "sealed/moved/" + name)
        #expect(try await !world.expect("sync b").talk.contains("moved"))
    }
}
