import FilesinkiHashing
import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization
import Testing

@testable import FilesinkiFileSystem

/// Where what a killed run had moved out of the tree goes, whatever has become of its place.
@Suite("Places of restored files")
struct RestoringTests {
    let tree: TemporaryTree
    private let calls: WatchedCalls

    init() throws {
        calls = WatchedCalls()
        tree = try TemporaryTree(calls: calls.calls)
    }

    /// Leaves `9-a-9`, or another staged name, and the plan of its step.
    private func leave(_ plan: String, _ files: [String: String], as name: String = "9-a-9") throws
    {
        let staged = "\(tree.base)/staging/\(name)"
        for (ending, text) in files {
            try TemporaryTree.write(Array(text.utf8), absolute: staged + ending)
        }
        #expect(symlink(plan, staged + ".plan") == 0)
    }

    private static func hash(_ text: String) -> String {
        hexadecimal(ContentHasher.hash(Array(text.utf8)).bytes.prefix(4))
    }

    @Test("E2.1 a plan whose file was never moved out is removed, and its path is left as it is")
    func planAlone() throws {
        try leave("- any notes.txt", [:])
        try tree.write("the user's", to: "notes.txt")
        #expect(try tree.staging.recover().isEmpty)
        #expect(try tree.read("notes.txt") == "the user's")
        #expect(try tree.leftovers().isEmpty)
    }

    @Test(
        "E2.1 a plan that says nothing about a path in the root restores the file as `recovered`",
        arguments: ["- absent ../x", "- absent /x", "- absent ", "- never x", "1:2:3 any x"])
    func invalidPlan(_ plan: String) throws {
        try leave(plan, ["": "the user's"])
        #expect(try tree.staging.recover().map(\.description) == ["recovered"])
        #expect(try tree.read("recovered") == "the user's")
        #expect(try TemporaryTree.names(tree.base) == ["root", "staging"])
        #expect(try tree.leftovers().isEmpty)
    }

    @Test(
        "E2.1 a folder that had taken the file's name is restored with what is in it",
        arguments: ["9-a-9", "9-a-9.old"], [false, true])
    func folder(_ staged: String, _ isTaken: Bool) throws {
        try leave("- any notes.txt", [:], as: staged)
        #expect(mkdir("\(tree.base)/staging/\(staged)", 0o755) == 0)
        try TemporaryTree.write([120], absolute: "\(tree.base)/staging/\(staged)/inside")
        if isTaken { try tree.write("another", to: "notes.txt") }
        // A folder has no hash: these are the last bytes of its staged name.
        let digits = staged == "9-a-9" ? "2d612d39" : "2e6f6c64"
        let name = isTaken ? "notes (recovered \(digits)).txt" : "notes.txt"
        #expect(try tree.staging.recover().map(\.description) == [name])
        #expect(try tree.names(name) == ["inside"])
        if isTaken { #expect(try tree.read("notes.txt") == "another") }
        #expect(try tree.leftovers().isEmpty)
    }

    @Test(
        "E2.1 a symlink is restored unless it is the one that the plan meant to replace",
        arguments: ["expected", "another"])
    func symlinks(_ target: String) throws {
        let expected = ContentHasher.hash(Array("expected".utf8))
        try leave("- \(expected) link", [:])
        #expect(symlink(target, tree.base + "/staging/9-a-9") == 0)
        let isRestored = target == "another"
        #expect(try tree.staging.recover().map(\.description) == (isRestored ? ["link"] : []))
        #expect(try tree.names() == (isRestored ? ["link"] : []))
        if isRestored {
            #expect(try tree.root.readLink(RelativePath("link")) == Array(target.utf8))
        }
        #expect(try tree.leftovers().isEmpty)
    }

    @Test(
        "E2.1 a save whose folder is gone, or is a symlink or a file now, is restored in the nearest folder above it",
        arguments: [
            ("gone", "d/e", "d/x"), ("gone", "d", "x"), ("link", "d/e", "d/x"),
            ("link", "d", "x"),
            ("file", "d/e", "d/x"), ("file", "d", "x"),
        ])
    func above(_ change: String, _ folder: String, _ expected: String) throws {
        try leave("- absent d/e/x", ["": "the user's"])
        for folder in ["outside", "outside/e"] {
            #expect(mkdir("\(tree.base)/\(folder)", 0o755) == 0)
        }
        for folder in ["d", "d/e"] { try tree.makeFolder(folder) }
        tree.remove(folder)
        switch change {
        case "link": try tree.link("\(tree.base)/outside", at: folder)
        case "file": try tree.write("text", to: folder)
        default: break
        }
        #expect(try tree.staging.recover().map(\.description) == [expected])
        #expect(try tree.read(expected) == "the user's")
        #expect(try TemporaryTree.names(tree.base + "/outside") == ["e"])
        #expect(try TemporaryTree.names(tree.base + "/outside/e").isEmpty)
        #expect(try tree.leftovers().isEmpty)
    }

    @Test("E2.1 a save whose folder disappears while it is restored is restored above it")
    func folderGoneMeanwhile() throws {
        try leave("- absent d/x", ["": "the user's"])
        try tree.makeFolder("d")
        let folder = tree.absolute("d")
        calls.before("x") { rmdir(folder) }
        #expect(try tree.staging.recover().map(\.description) == ["x"])
        #expect(try tree.names() == ["x"])
        #expect(try tree.read("x") == "the user's")
        #expect(try tree.leftovers().isEmpty)
    }

    // MARK: Databases

    private static let database = ["": "the database", "-wal": "commits", "-shm": "index"]

    @Test(
        "E3.4 the log of a database is never beside another file, and is back before the database")
    func logFirst() throws {
        try leave("- absent x.db", Self.database)
        try leave("- absent y.db", Self.database, as: "9-a-8")
        try tree.write("another", to: "y.db")
        #expect(try tree.staging.recover().count == 2)
        let name = "y (recovered \(Self.hash("the database"))).db"
        let given = calls.given
        #expect(given.filter { $0.hasPrefix("x") } == ["x.db-wal", "x.db-shm", "x.db"])
        #expect(
            given.filter { $0.hasPrefix("y") } == ["\(name)-wal", "\(name)-shm", name])
        #expect(try tree.read("y.db") == "another")
    }

    @Test("E3.4 a file that takes the name of a database while it is restored gets no log")
    func takenMeanwhile() throws {
        try leave("- absent x.db", Self.database)
        // Not the tree: it has the calls, and both would stay for ever.
        let path = tree.absolute("x.db")
        calls.before("x.db-shm") {
            try? TemporaryTree.write(Array("another".utf8), absolute: path)
        }
        let name = "x (recovered \(Self.hash("the database"))).db"
        #expect(try tree.staging.recover().map(\.description) == [name])
        #expect(try tree.names() == [name, name + "-shm", name + "-wal", "x.db"])
        #expect(try tree.read("x.db") == "another")
        #expect(try tree.read(name) == "the database" && tree.read(name + "-wal") == "commits")
        #expect(try tree.leftovers().isEmpty)
    }

    @Test(
        "E3.4 the next run restores a database that could not be restored completely",
        arguments: ["x.db-wal", "x.db-shm", "x.db"])
    func halfRestored(_ failing: String) throws {
        try leave("- absent x.db", Self.database)
        calls.fail(at: failing)
        let failure = #expect(throws: Failure.self) { try tree.staging.recover() }
        #expect(failure?.code == .io && failure?.path == Array("x.db".utf8))
        #expect(try tree.read("x.db") == nil)
        try tree.staging.clear()
        #expect(try tree.names() == ["x.db", "x.db-shm", "x.db-wal"])
        #expect(try tree.read("x.db") == "the database" && tree.read("x.db-wal") == "commits")
        #expect(try tree.leftovers().isEmpty)
    }

    @Test("E3.4 a database that was moved aside is restored if another file has taken its name")
    func replacedByAnother() throws {
        try leave("- any x.db", Self.database, as: "9-a-9.old")
        try tree.write("another", to: "x.db")
        let name = "x (recovered \(Self.hash("the database"))).db"
        #expect(try tree.staging.recover().map(\.description) == [name])
        #expect(try tree.read("x.db") == "another")
        #expect(try tree.read(name) == "the database" && tree.read(name + "-wal") == "commits")
        #expect(try tree.leftovers().isEmpty)
    }
}

/// The calls that give names: what they give, and what happens right before one of them.
private final class WatchedCalls: Sendable {
    private struct State {
        var given: [String] = []
        var failing: String?
        var name: String?
        var action: @Sendable () -> Void = {}
    }

    private let state = Mutex(State())

    /// The names that were given successfully.
    var given: [String] { state.withLock { $0.given } }

    /// Does something once, before a name is given.
    func before(_ name: String, _ action: @escaping @Sendable () -> Void) {
        state.withLock { ($0.name, $0.action) = (name, action) }
    }

    /// Lets the first call fail that gives a name.
    func fail(at name: String) { state.withLock { $0.failing = name } }

    private func begin(_ name: String) -> Bool {
        let (action, fails) = state.withLock { state in
            let isMeant = state.name == name
            if isMeant { state.name = nil }
            let fails = state.failing == name
            if fails { state.failing = nil }
            return (isMeant ? state.action : {}, fails)
        }
        action()
        return !fails
    }

    var calls: NameCalls {
        let real = NameCalls()
        var calls = real
        calls.rename = { from, old, to, new, flags in
            let name = String(cString: new)
            guard self.begin(name) else {
                errno = EIO
                return -1
            }
            let result = real.rename(from, old, to, new, flags)
            if result == 0 { self.state.withLock { $0.given.append(name) } }
            return result
        }
        return calls
    }
}
