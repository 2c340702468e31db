import FilesinkiCommands
import Glibc
import Testing

/// What a run says of many files with one line.
@Suite("Folded steps")
struct FoldedStepsTests {
    /// Replicas `a` and `b` with five files in `d` and its folder `e`.
    private func world() async throws -> World {
        let world = try await ReplicaTests.pair()
        for number in 1...3 { try world.write("\(number)", to: "a/d/\(number)") }
        for number in 4...5 { try world.write("\(number)", to: "a/d/e/\(number)") }
        for root in ["a", "b"] { #expect(try await world.run("sync", root).code == .done) }
        return world
    }

    /// The lines without what is between their words.
    private func lines(_ outcome: World.Outcome) -> [String] {
        outcome.lines.map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test("a folder that was renamed is one line on each side, and -v lists its files")
    func renamed() async throws {
        let world = try await world()
        world.rename("a/d", to: "a/other")
        let all = "-v lists all 7 changes."
        let plan = try await world.run("sync", "a", "-n")
        #expect(lines(plan) == ["send renamed other/ from d/ (5 files)", all], "\(plan.text)")
        let sent = try await world.run("sync", "a")
        #expect(lines(sent) == ["sent renamed other/ from d/ (5 files)", all], "\(sent.text)")
        let received = try await world.run("sync", "b")
        #expect(lines(received).first == "received renamed other/ from d/ (5 files)")
        #expect(received.lines.count == 2, "\(received.text)")
        world.rename("a/other", to: "a/d")
        #expect(try await world.run("sync", "a", "-v").lines.count >= 7)
    }

    @Test("a renamed file that got another mode is said with both modes, also in a renamed folder")
    func renamedWithMode() async throws {
        let world = try await world()
        world.rename("a/d", to: "a/other")
        world.rename("a/one", to: "a/uno")
        for name in ["other/2", "uno"] { chmod(world.folder + "/a/" + name, 0o755) }
        let expected = [
            "renamed other/ from d/ (4 files)", "renamed other/2 from d/2, mode 644 -> 755",
            "renamed uno from one, mode 644 -> 755", "-v lists all 8 changes.",
        ]
        for (direction, options) in [("send", "a -n"), ("sent", "a"), ("received", "b")] {
            let said = lines(try await world.expect("sync " + options))
            #expect(
                said.map { $0.replacing("\(direction) ", with: "") }.filter(expected.contains)
                    .sorted() == expected.sorted(), "\(said)")
        }
    }

    @Test("an edit of a file that the other side renamed is said by plan, run, sum and log")
    func editedInARenamedFolder() async throws {
        let world = try await world()
        world.rename("a/d", to: "a/other")
        world.rename("a/one", to: "a/uno")
        #expect(try await world.run("sync", "a").code == .done)
        try world.write("edited", to: "b/d/2")
        let plan = try await world.run("sync", "b", "-n", "-v")
        let line = "edited other/2 edited here, renamed there from d/2"
        #expect(lines(plan).contains("send " + line), "\(plan.text)")
        let sent = try await world.run("sync", "b")
        #expect(lines(sent).contains("sent " + line), "\(sent.text)")
        #expect(sent.talk.hasPrefix("Sent 1 file (6 B), renamed 6."), "\(sent.talk)")
        let log = try await world.run("log", "--root", "b", "-n", "1")
        #expect(log.lines.first?.hasSuffix("  M other/2") == true, "\(log.text)")
        let versions = try await world.run("log", "--root", "b", "other/2")
        #expect(versions.lines[0].hasSuffix("6 B  edited"), "\(versions.text)")
        #expect(versions.lines[1].hasSuffix("renamed from d/2"), "\(versions.text)")
        // The path was there in the commit before.
        let difference = try await world.run("diff", "--root", "b", "--commit", "4")
        #expect(difference.lines.prefix(2) == ["--- other/2@3", "+++ other/2@4"], "\(difference)")
    }

    @Test("an edit from there of a file that was renamed here is said, and the commit is a rename")
    func editedThere() async throws {
        let world = try await world()
        try world.write("edited", to: "a/d/2")
        #expect(try await world.run("sync", "a").code == .done)
        world.rename("b/d/2", to: "b/d/two")
        let run = try await world.run("sync", "b")
        #expect(
            lines(run).contains("received edited d/two edited there, renamed here from d/2"),
            "\(run.text)")
        #expect(run.talk.hasPrefix("Received 1 file (6 B), renamed 1."), "\(run.talk)")
        let log = try await world.run("log", "--root", "b", "-n", "1")
        #expect(log.lines.first?.hasSuffix("  R d/2 -> d/two") == true, "\(log.text)")
    }

    @Test("a folder that was deleted is one line, and what else was deleted another")
    func deleted() async throws {
        let world = try await world()
        let moved = try await world.run("delete", "--root", "a", "-r", "d", "one")
        #expect(
            lines(moved).sorted().prefix(3) == [
                "-v lists all 8 changes.", "sent deleted d/ (5 files)", "sent deleted one",
            ], "\(moved.text)")
        #expect(moved.talk == "Deleted 6 files.\n")
    }

    @Test("a few files have lines of their own")
    func few() async throws {
        let world = try await world()
        #expect(try await world.run("delete", "--root", "a", "-r", "d/e").lines.count == 3)
    }

    private static func setTime(of path: String, to seconds: Int, _ world: World) {
        let time = timespec(tv_sec: seconds, tv_nsec: 0)
        utimensat(AT_FDCWD, world.folder + "/" + path, [time, time], 0)
    }

    @Test("files of which both sides changed the time do not hide a conflict among them")
    func times() async throws {
        let world = try await world()
        for (root, time) in [("a", 1_600_000_000), ("b", 1_600_000_100)] {
            for number in 1...3 {
                Self.setTime(of: "\(root)/d/\(number)", to: time + number, world)
            }
            for number in 4...5 {
                Self.setTime(of: "\(root)/d/e/\(number)", to: time + number, world)
            }
            try world.write(root, to: "\(root)/one")
        }
        #expect(try await world.run("sync", "a").code == .done)
        let outcome = try await world.run("sync", "b")
        #expect(outcome.code == .conflict && outcome.lines.count == 3, "\(outcome.text)")
        let line = "sent mode/time 5 files both sides changed only the time; the later one was kept"
        #expect(lines(outcome).contains(line), "\(outcome.text)")
    }
}
