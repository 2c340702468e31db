import FilesinkiHashing
import FilesinkiModel
import FilesinkiSystem
import Glibc
import Testing

@testable import FilesinkiFileSystem

/// What a killed run left, made by hand: the same calls as the writer's, up to the kill.
@Suite struct RecoveryTests {
    let tree: TemporaryTree

    init() throws { tree = try TemporaryTree() }

    @Test("a save that was swapped out is restored", arguments: [true, false])
    func save(_ byContent: Bool) throws {
        try tree.write("old", to: "notes.txt")
        let expected = try expectation(byContent)
        try tree.save("the user's", to: "notes.txt")
        try exchangeAndDie("ours", expected)
        let hash = hexadecimal(ContentHasher.hash(Array("the user's".utf8)).bytes.prefix(4))
        let sibling = "notes (recovered \(hash)).txt"
        #expect(try tree.staging.recover().map(\.description) == [sibling])
        #expect(try tree.read("notes.txt") == "ours")
        #expect(try tree.read(sibling) == "the user's")
        #expect(try tree.leftovers().isEmpty)
    }

    @Test("the file that the plan meant to replace is not restored", arguments: [true, false])
    func planned(_ byContent: Bool) throws {
        try tree.write("old", to: "notes.txt")
        try exchangeAndDie("ours", expectation(byContent))
        #expect(try tree.staging.recover().isEmpty)
        #expect(try tree.names() == ["notes.txt"])
        #expect(try tree.read("notes.txt") == "ours")
        #expect(try tree.leftovers().isEmpty)
    }

    @Test func `our own file that was swapped out again is not restored`() throws {
        try tree.save("the user's", to: "notes.txt")
        let expected = try expectation(false)
        try tree.save("the user's second", to: "notes.txt")
        try exchangeAndDie("ours", expected)
        let staged = try #require(try tree.leftovers().first { !$0.hasSuffix(".plan") })
        let folder = try tree.root.openParent(of: RelativePath("notes.txt"))
        #expect(
            try tree.staging.exchange(
                Array(staged.utf8), with: Array("notes.txt".utf8), in: folder) == .done)
        #expect(try tree.staging.recover().isEmpty)
        #expect(try tree.names() == ["notes.txt"])
        #expect(try tree.read("notes.txt") == "the user's second")
        #expect(try tree.leftovers().isEmpty)
    }

    @Test func `a save that was moved aside for a removal gets its name back`() throws {
        try tree.write("old", to: "notes.txt")
        let expected = try expectation(false)
        try tree.save("the user's", to: "notes.txt")
        try moveAsideAndDie(expected)
        #expect(try tree.staging.recover().map(\.description) == ["notes.txt"])
        #expect(try tree.read("notes.txt") == "the user's")
        #expect(try tree.leftovers().isEmpty)
    }

    /// How far a replacement in two steps had come.
    enum Reached: CaseIterable { case takenOut, linked, placed, savedMeanwhile }

    @Test(
        "E2.1 a killed two-step replacement leaves the old file or the new one",
        arguments: Reached.allCases, [true, false])
    func twoSteps(_ reached: Reached, _ byContent: Bool) throws {
        try tree.write("old", to: "notes.txt")
        let staged = try takeOutForAndDie("ours", expectation(byContent), reached)
        #expect(try tree.staging.recover().isEmpty == (reached != .takenOut))
        let result = [
            Reached.takenOut: "old", .linked: "ours", .placed: "ours",
            .savedMeanwhile: "the user's",
        ]
        #expect(try tree.read("notes.txt") == result[reached])
        #expect(try tree.names() == ["notes.txt"])
        let left = try tree.leftovers().filter { $0 != staged }
        #expect(left.isEmpty)
        try tree.staging.clear()
        #expect(try tree.leftovers().isEmpty)
    }

    @Test("E2.1 a save that a two-step replacement had swapped out is restored")
    func savedBeforeTwoSteps() throws {
        try tree.write("old", to: "notes.txt")
        let expected = try expectation(false)
        try tree.save("the user's", to: "notes.txt")
        _ = try takeOutForAndDie("ours", expected, .takenOut)
        #expect(try tree.staging.recover().map(\.description) == ["notes.txt"])
        #expect(try tree.read("notes.txt") == "the user's")
        #expect(try tree.names() == ["notes.txt"])
    }

    @Test("E2.1 two saves around a killed two-step replacement are both kept")
    func savedTwice() throws {
        try tree.write("old", to: "notes.txt")
        let expected = try expectation(false)
        try tree.save("the user's first", to: "notes.txt")
        _ = try takeOutForAndDie("ours", expected, .savedMeanwhile)
        let restored = try tree.staging.recover().map(\.description)
        #expect(restored.count == 1)
        #expect(try tree.read("notes.txt") == "the user's")
        #expect(try restored.first.flatMap(tree.read) == "the user's first")
    }

    @Test("E3.4 a database that was replaced before the kill is not restored")
    func replacedDatabase() throws {
        try tree.write("old", to: "notes.txt")
        _ = try takeOutForAndDie("ours", expectation(false), .placed)
        for name in try tree.leftovers() where name.hasSuffix(".old") {
            try TemporaryTree.write([1], absolute: "\(tree.base)/staging/\(name)-wal")
        }
        #expect(try tree.staging.recover().isEmpty)
        #expect(try tree.names() == ["notes.txt"])
        #expect(try tree.read("notes.txt") == "ours")
        #expect(try tree.leftovers().isEmpty)
    }

    @Test(
        "E3.4 a database is restored beside another one's log",
        arguments: ["x.db", "x.db-wal", "x.db-shm"])
    func besideLog(_ taken: String) throws {
        let staged = tree.base + "/staging/9-a-9"
        for (ending, text) in [("", "the database"), ("-wal", "commits"), ("-shm", "index")] {
            try TemporaryTree.write(Array(text.utf8), absolute: staged + ending)
        }
        #expect(symlink("- absent x.db", staged + ".plan") == 0)
        try tree.write("another", to: taken)
        let path = try #require(try tree.staging.recover().first?.description)
        #expect(path != "x.db")
        #expect(try tree.names() == [taken, path, path + "-shm", path + "-wal"].sorted())
        #expect(try tree.read(taken) == "another")
        #expect(try tree.read(path + "-wal") == "commits")
        #expect(try tree.leftovers().isEmpty)
    }

    @Test("E2.1 what is cleared is restored first", arguments: [false, true])
    func cleared(_ isOfDead: Bool) throws {
        let name = isOfDead ? "2000000000-a-1" : "9-9"
        try TemporaryTree.write(Array("the user's".utf8), absolute: tree.base + "/staging/" + name)
        #expect(symlink("- absent notes.txt", "\(tree.base)/staging/\(name).plan") == 0)
        if isOfDead { try tree.staging.clearDead() } else { try tree.staging.clear() }
        #expect(try tree.read("notes.txt") == "the user's")
        #expect(try tree.leftovers().isEmpty)
    }

    @Test(
        "E2.1 a staged file is dead if its process is",
        arguments: [
            ("2000000000-a-1", true), ("1-a-1", false), ("0-a-1", false), ("x-a-1", false),
            ("-5-a", false),
        ])
    func deadNames(_ name: String, _ isDead: Bool) throws {
        try TemporaryTree.write([1], absolute: "\(tree.base)/staging/\(name)")
        try tree.staging.clearDead()
        #expect(try tree.leftovers() == (isDead ? [] : [name]))
    }

    @Test(
        "E3.4 a database whose removal was killed is restored with its log",
        arguments: [true, false])
    func database(_ isTaken: Bool) throws {
        let staged = tree.base + "/staging/9-a-9"
        for (ending, text) in [("", "the database"), ("-wal", "commits"), ("-shm", "index")] {
            try TemporaryTree.write(Array(text.utf8), absolute: staged + ending)
        }
        #expect(symlink("- absent x.db", staged + ".plan") == 0)
        if isTaken { try tree.write("another", to: "x.db") }
        let hash = hexadecimal(ContentHasher.hash(Array("the database".utf8)).bytes.prefix(4))
        let name = isTaken ? "x (recovered \(hash)).db" : "x.db"
        #expect(try tree.staging.recover().map(\.description) == [name])
        #expect(try tree.read(name) == "the database")
        #expect(try tree.read(name + "-wal") == "commits")
        #expect(try tree.read(name + "-shm") == "index")
        if isTaken { #expect(try tree.read("x.db") == "another") }
        #expect(try tree.leftovers().isEmpty)
    }

    @Test(
        "E2.1 files of an ended process are recovered without a lock, those of a running one are not"
    )
    func dead() throws {
        // No process has a number as large as that.
        try TemporaryTree.write(
            Array("the user's".utf8), absolute: tree.base + "/staging/2000000000-a-1")
        #expect(symlink("- absent notes.txt", tree.base + "/staging/2000000000-a-1.plan") == 0)
        let kept = try tree.staged("of a process at work")
        try tree.staging.clearDead()
        #expect(try tree.read("notes.txt") == "the user's")
        #expect(try tree.leftovers() == [String(decoding: kept.name, as: UTF8.self)])
    }

    @Test func `a save whose folder is gone is restored above it`() throws {
        try tree.makeFolder("d")
        try tree.save("the user's", to: "d/x")
        try moveAsideAndDie(.absent, "d/x")
        tree.remove("d")
        #expect(try tree.staging.recover().map(\.description) == ["x"])
        #expect(try tree.read("x") == "the user's")
    }

    @Test func `a save that is already at its path is not restored twice`() throws {
        try tree.save("the user's", to: "notes.txt")
        try moveAsideAndDie(.absent)
        try tree.save("the user's", to: "notes.txt")
        #expect(try tree.staging.recover().isEmpty)
        #expect(try tree.names() == ["notes.txt"])
        #expect(try tree.leftovers().isEmpty)
    }

    @Test func `a save that is already beside its path is not restored twice`() throws {
        try tree.save("the user's", to: "notes.txt")
        try moveAsideAndDie(.absent)
        try tree.write("another", to: "notes.txt")
        let hash = hexadecimal(ContentHasher.hash(Array("the user's".utf8)).bytes.prefix(4))
        try tree.write("the user's", to: "notes (recovered \(hash)).txt")
        #expect(try tree.staging.recover().isEmpty)
        #expect(try tree.names() == ["notes (recovered \(hash)).txt", "notes.txt"])
        #expect(try tree.leftovers().isEmpty)
    }

    @Test func `a third name is found for a save whose sibling is another file`() throws {
        try tree.save("the user's", to: "notes.txt")
        try moveAsideAndDie(.absent)
        try tree.write("another", to: "notes.txt")
        let hash = hexadecimal(ContentHasher.hash(Array("the user's".utf8)).bytes.prefix(4))
        try tree.write("a third", to: "notes (recovered \(hash)).txt")
        #expect(
            try tree.staging.recover().map(\.description) == ["notes (recovered \(hash) 2).txt"])
        #expect(try tree.read("notes (recovered \(hash) 2).txt") == "the user's")
    }

    @Test func `an invalid intent still loses nothing`() throws {
        try TemporaryTree.write(Array("the user's".utf8), absolute: tree.base + "/staging/9-9")
        #expect(symlink("nonsense", tree.base + "/staging/9-9.plan") == 0)
        #expect(try tree.staging.recover().map(\.description) == ["recovered"])
        #expect(try tree.read("recovered") == "the user's")
    }

    @Test func `files that never were in the tree are removed`() throws {
        try TemporaryTree.write(Array("half".utf8), absolute: tree.base + "/staging/9-9")
        try tree.staging.clear()
        #expect(try tree.leftovers().isEmpty)
        #expect(try tree.names().isEmpty)
    }

    @Test(
        "an intent makes the round trip",
        arguments: ["a", "a b\nc", String(repeating: "folder/", count: 584) + "name"])
    func intents(_ path: String) throws {
        let stamp = FileStamp(
            device: .max, inode: 1, size: .max, modified: Timestamp(nanoseconds: -1),
            changed: Timestamp(nanoseconds: 0))
        let all: [Expected] = [
            .any, .absent, .stamp(stamp), .content(ContentHasher.hash([1]), size: 1), .link([2]),
        ]
        for expected in all {
            let intent = Intent(ours: stamp, expected, try RelativePath(path))
            try intent.write(beside: [65], in: tree.staging.folder)
            #expect(try Intent.read([65] + Intent.suffix, in: tree.staging.folder) == intent)
            try Intent.remove(beside: [65], in: tree.staging.folder)
        }
    }

    @Test(
        "names a restored file that has to stand beside another",
        arguments: [
            ("a.txt", 1, "a (recovered 12345678).txt"), ("a", 1, "a (recovered 12345678)"),
            (".profile", 1, ".profile (recovered 12345678)"),
            ("ä", 1, "ä (recovered 12345678)"), ("文.txt", 1, "文 (recovered 12345678).txt"),
            ("a.b.c", 2, "a.b (recovered 12345678 2).c"),
            (
                "a." + String(repeating: "x", count: 63), 1,
                "a (recovered 12345678)." + String(repeating: "x", count: 63)
            ),
            ("a." + String(repeating: "x", count: 64), 1, "a (recovered 12345678)"),
            (
                String(repeating: "ä", count: 127), 1,
                String(repeating: "ä", count: 116) + " (recovered 12345678)"
            ),
        ])
    func siblings(_ name: String, _ number: Int, _ expected: String) {
        let sibling = Rescue.sibling(of: Array(name.utf8), "12345678", number)
        #expect(String(decoding: sibling, as: UTF8.self) == expected)
        #expect(sibling.count <= 255)
    }

    private func expectation(_ byContent: Bool) throws -> Expected {
        guard byContent else { return .stamp(try tree.stamp("notes.txt")) }
        let bytes = Array((try tree.read("notes.txt") ?? "").utf8)
        return .content(ContentHasher.hash(bytes), size: Int64(bytes.count))
    }

    private func exchangeAndDie(_ text: String, _ expected: Expected) throws {
        let staged = try tree.staged(text)
        let status = try #require(staged.status)
        let path = try RelativePath("notes.txt")
        try Intent(ours: status.stamp, expected, path)
            .write(beside: staged.name, in: tree.staging.folder)
        let folder = try tree.root.openParent(of: path)
        #expect(
            try tree.staging.exchange(staged.name, with: Array("notes.txt".utf8), in: folder)
                == .done)
        staged.markInstalled()
    }

    /// - Returns: The staged name of the new file.
    private func takeOutForAndDie(
        _ text: String, _ expected: Expected, _ reached: Reached
    ) throws -> String {
        let staged = try tree.staged(text)
        let status = try #require(staged.status)
        let path = try RelativePath("notes.txt")
        let aside = staged.name + Intent.asideSuffix
        try Intent(ours: status.stamp, expected, path)
            .write(beside: aside, in: tree.staging.folder)
        let folder = try tree.root.openParent(of: path)
        try tree.staging.takeOut(folder, Array(path.name), as: aside)
        let name = Array(path.name)
        switch reached {
        case .takenOut: break
        case .linked:
            #expect(
                try tree.staging.link(tree.staging.folder.raw, staged.name, folder.raw, name)
                    == true)
        case .placed: #expect(try tree.staging.place(staged.name, at: name, in: folder))
        case .savedMeanwhile: try tree.save("the user's", to: "notes.txt")
        }
        // A killed process removes nothing.
        staged.markInstalled()
        return String(decoding: staged.name, as: UTF8.self)
    }

    private func moveAsideAndDie(_ expected: Expected, _ text: String = "notes.txt") throws {
        let path = try RelativePath(text)
        let aside = tree.staging.nextName()
        try Intent(ours: nil, expected, path).write(beside: aside, in: tree.staging.folder)
        let folder = try tree.root.openParent(of: path)
        try tree.staging.takeOut(folder, Array(path.name), as: aside)
    }
}
