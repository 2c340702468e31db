import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Testing

/// A manifest that is lost or damaged is filled again from the log, without a guess where the log
/// tells.
@Suite("Rebuilding the manifest")
struct RebuiltManifestTests {
    let world: World
    let (a, b): (Machine, Machine)

    /// `a` has made everything, `b` has edited `by b` since, and both have all of it.
    init() async throws {
        world = try World()
        (a, b) = try await world.pair([
            "f": .file("base"), "by b": .file("old"), "gone": .file("to go"),
            "d": .directory(["x": .file("1"), "y": .file("2")]), "same": .file("same"),
        ])
        try b.write(["by b": .file("edited by b")])
        for machine in [b, a, b] { try await machine.sync() }
    }

    /// Overwrites a part of the manifest.
    private func damage(_ machine: Machine, at offset: Int) throws {
        let file = try #require(fopen(machine.at(".filesinki/manifest.sqlite"), "r+"))
        fseek(file, offset, SEEK_SET)
        fputs(String(repeating: "damage ", count: 20), file)
        fclose(file)
    }

    /// Changes the manifest wherever it holds some bytes.
    private func damage(_ machine: Machine, bytes: [UInt8]) throws {
        let path = machine.at(".filesinki/manifest.sqlite")
        let file = try #require(fopen(path, "r+"))
        defer { fclose(file) }
        var all = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&all, 1, all.count, file)
        var found = 0
        for offset in 0..<max(0, count - bytes.count)
        where all[offset..<(offset + bytes.count)].elementsEqual(bytes) {
            fseek(file, offset, SEEK_SET)
            fputc(Int32(bytes[0] ^ 1), file)
            found += 1
        }
        try #require(found > 0)
    }

    /// What a user has done since the last sync.
    private func change(_ machine: Machine) throws {
        machine.remove("gone")
        machine.remove("d/x")
        try machine.write(["f": .file("saved since"), "by b": .file("edited once more")])
    }

    private var wanted: TreeFixture {
        [
            "f": .file("saved since"), "by b": .file("edited once more"),
            "d": .directory(["y": .file("2")]), "same": .file("same"),
        ]
    }

    @Test(
        "E4.5 deletions since the last sync stay, and a save is no conflict", arguments: ["a", "b"])
    func damaged(_ name: String) async throws {
        let machine = name == "a" ? a : b
        try change(machine)
        try damage(machine, at: 0)
        let report = try await machine.sync()
        #expect(report.copies == [])
        try await world.converge()
        for machine in [a, b] { #expect(try machine.tree() == wanted) }
    }

    @Test("E4.5 damage found during a run ends that run, and the next one repairs it")
    func damagedRow() async throws {
        try change(b)
        // In the rows, which are read by the run, not when the manifest is opened.
        try damage(b, bytes: Array("by b".utf8))
        let failure = await #expect(throws: Failure.self) { try await b.sync() }
        #expect(failure?.code == .corrupt)
        #expect(try await b.sync().copies == [])
        try await world.converge()
        for machine in [a, b] { #expect(try machine.tree() == wanted) }
    }

    @Test(
        "E4.5 the same when the manifest is missing, and a save comes first", arguments: ["a", "b"])
    func lost(_ name: String) async throws {
        let machine = name == "a" ? a : b
        try change(machine)
        machine.loseManifest()
        try await machine.save("new", at: "new")
        #expect(try await machine.sync().copies == [])
        try await world.converge()
        var tree = wanted
        tree["new"] = .file("new")
        for machine in [a, b] { #expect(try machine.tree() == tree) }
    }

    @Test("E4.5 the same when others have published since")
    func others() async throws {
        try change(b)
        try a.write(["of a": .file("a's"), "same": .file("edited by a")])
        try await a.sync()
        b.loseManifest()
        #expect(try await b.sync().copies == [])
        try await world.converge()
        var tree = wanted
        tree["of a"] = .file("a's")
        tree["same"] = .file("edited by a")
        for machine in [a, b] { #expect(try machine.tree() == tree) }
    }

    @Test("E4.5 the same from a checkpoint, when the log before it is gone")
    func pruned() async throws {
        try await world.prune(to: 2)
        a.remove("gone")
        a.loseManifest()
        try await a.sync()
        #expect(a.text("gone") == nil)
        try await b.sync()
        #expect(b.text("gone") == nil)
        #expect(b.text("d/x") == "1")
    }

    @Test("E4.5 the same from a later checkpoint: what has not changed since counts as known")
    func prunedLater() async throws {
        try b.write(["same": .file("edited since"), "later": .file("new")])
        try await b.sync()
        try await world.prune(to: 3, keepingLast: true)
        a.remove("gone")
        a.remove("same")
        a.loseManifest()
        try await a.sync()
        try await world.converge()
        #expect(a.text("gone") == nil)
        #expect(a.text("later") == "new")
        // Deleted here, edited there.
        #expect(a.text("same") == "edited since")
        #expect(a.text("d/x") == "1")
    }

    @Test("E4.5 paths never received are not taken for deleted: an open conflict, an ignored path")
    func open() async throws {
        try a.write(["f": .file("a's"), "secret": .file("not for b")])
        try await a.sync()
        try b.write(["f": .file("b's!"), ".filesinkiignore": .file("secret\n")])
        try await b.sync { $0.strategy = Strategy([.end(.leave)]) }
        #expect(b.text("secret") == nil)
        b.loseManifest()
        b.remove(".filesinkiignore")
        try await b.sync { $0.strategy = Strategy([.end(.leave)]) }
        #expect(b.text("secret") == "not for b")
        #expect(b.text("f") == "b's!")
        try await a.sync()
        #expect(a.text("f") == "a's")
        #expect(a.text("secret") == "not for b")
    }

    @Test(
        "E4.5 a file of rules that others have deleted stays so after a run for other paths",
        arguments: [false, true])
    func rulesNotReceived(_ isPublishing: Bool) async throws {
        let rules = TreeFixture.Node.file("*.log\n")
        try a.write([".filesinkiignore": rules, "d": .directory([".filesinkiignore": rules])])
        for machine in [a, b] { try await machine.sync() }
        a.remove(".filesinkiignore")
        a.remove("d/.filesinkiignore")
        try await a.sync()
        if isPublishing { try b.write(["f": .file("b's")]) }
        let path = try RelativePath("f")
        let report = try await b.sync { $0.paths = [path] }
        try #require(report.publishedCommits == (isPublishing ? 1 : 0))
        // The deletions wait for a run of everything.
        try #require(b.text(".filesinkiignore") != nil)
        b.loseManifest()
        #expect(try await b.sync().publishedCommits == 0)
        try await world.converge()
        for machine in [a, b] {
            #expect(machine.text(".filesinkiignore") == nil)
            #expect(machine.text("d/.filesinkiignore") == nil)
        }
    }

    @Test("E4.5 an edit of what others have edited is merged after a run for other paths")
    func editNotReceived() async throws {
        try a.write(["t.txt": .file("1\n2\n3\n4\n5\n")])
        for machine in [a, b] { try await machine.sync() }
        try a.write(["t.txt": .file("one\n2\n3\n4\n5\n")])
        try await a.sync()
        let path = try RelativePath("f")
        try await b.sync { $0.paths = [path] }
        try b.write(["t.txt": .file("1\n2\n3\n4\nfive\n")])
        b.loseManifest()
        #expect(try await b.sync().copies == [])
        try await world.converge()
        #expect(a.text("t.txt") == "one\n2\n3\n4\nfive\n")
    }

    @Test("E4.5 what a rule ignored for a time is not taken for deleted", arguments: [2, 250])
    func ignoredForATime(_ count: Int) async throws {
        // 250 are more than the note of the base's position has.
        var files: [TreeFixture.Name: TreeFixture.Node] = [:]
        for number in 0..<count { files[.init(Array("f\(number)".utf8))] = .file("\(number)") }
        let folder = TreeFixture.Node.directory(TreeFixture(files))
        for machine in [a, b] {
            try machine.write(["p": folder])
            try await machine.sync()
            try machine.write([".filesinki": .directory(["ignore": .file("p/\n")])])
            try await machine.sync()
            machine.remove("p")
            machine.remove(".filesinki/ignore")
            machine.loseManifest()
            try await machine.sync()
            #expect(try machine.tree()["p"] == folder)
        }
    }

    /// The file leaves its path at `a`, which `b` receives, and comes back, which it does not.
    private func leaveAndReturn(_ path: String, isRename: Bool) async throws {
        if isRename { a.rename(path, "other") } else { a.remove(path) }
        for machine in [a, b] { try await machine.sync() }
        try #require(b.text(path) == nil)
        if isRename {
            a.rename("other", path)
        } else {
            let deleted = try RelativePath(path)
            _ = try await a.with { try await $0.undelete(deleted, SyncOptions()) }
        }
        try await a.sync()
    }

    @Test(
        "E4.5 what others deleted or renamed and brought back is received, if the note is older",
        arguments: [false, true], ["same", "by b"])
    func olderNote(_ isRename: Bool, _ path: String) async throws {
        let file = b.at(".filesinki/publishing")
        let note = try #require(try StateFile.read(file))
        let text = try #require(a.text(path))
        try await leaveAndReturn(path, isRename: isRename)
        // As a power cut leaves it.
        try StateFile.replace(file, with: note)
        b.loseManifest()
        try await b.sync { $0.onDelete = .delete }
        try await world.converge()
        for machine in [a, b] { #expect(machine.text(path) == text) }
    }

    @Test(
        "E4.5 the same of an own file, if more paths are open than a note holds",
        arguments: [false, true])
    func manyOpen(_ isRename: Bool) async throws {
        var files: [TreeFixture.Name: TreeFixture.Node] = [:]
        for number in 0..<250 { files[.init(Array("f\(number)".utf8))] = .file("\(number)") }
        try b.write([".filesinki": .directory(["ignore": .file("p/\n")])])
        try a.write(["p": .directory(TreeFixture(files))])
        for machine in [a, b] { try await machine.sync() }
        try b.write(["precious": .file("precious")])
        for machine in [b, a] { try await machine.sync() }
        try await leaveAndReturn("precious", isRename: isRename)
        b.loseManifest()
        try await b.sync { $0.onDelete = .delete }
        for machine in [a, b] { try await machine.sync() }
        for machine in [a, b] { #expect(machine.text("precious") == "precious") }
    }

    @Test("E4.5 a base of another store, or of an abandoned history, is not adopted")
    func other() async throws {
        try change(b)
        let backup = world.store.objects
        try a.write(["later": .file("l")])
        try await a.sync()
        try await b.sync()
        world.store.objects = backup
        b.loseManifest()
        b.remove("same")
        // The note names a commit that the store has not any more.
        _ = try? await b.sync()
        #expect(try a.names.contains("same"))
        let tree = try await world.commits().flatMap(\.changes)
        #expect(!tree.contains { $0.path.description == "same" && $0.entry.kind == .tombstone })
    }
}
