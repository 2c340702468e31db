import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import FilesinkiTesting
import Glibc
import Testing

/// What a user renamed and edited in its place before the next run.
@Suite("Renamed and edited between two runs")
struct RenamedAndEditedTests {
    private static let base = "one\ntwo\nthree\nfour\nfive\n"
    private static let longer = "one\ntwo\nthree\nfour\nfive\nsix\n"
    private static let first = "ONE\ntwo\nthree\nfour\nfive\n"
    private static let merged = "ONE\ntwo\nthree\nfour\nfive\nsix\n"
    private static let last = "one\ntwo\nthree\nfour\nfive\nanother\n"

    let world: World
    /// Another device, and the one that renames. This one has received the files: one that was written in the moment of
    /// a scan is not known by its inode.
    let (other, device): (Machine, Machine)

    init() async throws {
        world = try World()
        (other, device) = try await world.pair([
            "f.txt": .file(Self.base), "k": .file("keep"),
        ])
        // Later than that of the file system, or the times of files would be those of a clock that was set back.
        world.clock.advance(by: .seconds(Int64(time(nil)) + 3_600 - world.clock.now.seconds))
    }

    /// Renames the file, and adds a line to it.
    private func change() throws {
        device.rename("f.txt", "g.txt")
        let file = try #require(fopen(device.at("g.txt"), "a"))
        fputs("six\n", file)
        fclose(file)
    }

    @Test("it is a rename with an edit, in the run and in its commit")
    func alone() async throws {
        let path = try RelativePath("f.txt")
        try change()
        let report = try await device.sync()
        let step = try #require(report.steps.first { $0.path.description == "g.txt" })
        #expect(step.movedFrom == path && step.reason == .renamedAndEdited(from: path))
        let changes = try #require(try await world.commits().last).changes
        #expect(changes.contains { $0.movedFrom == path && $0.reason == "renamed-and-edited" })
        try await world.converge()
        #expect(try other.tree() == ["g.txt": .file(Self.longer), "k": .file("keep")])
    }

    @Test("an edit of another device is merged at the new name", arguments: [true, false])
    func edited(_ isRenameFirst: Bool) async throws {
        try change()
        try other.write(["f.txt": .file(Self.first)])
        try await (isRenameFirst ? device : other).sync()
        let report = try await (isRenameFirst ? other : device).sync()
        #expect(report.copies == [] && report.conflicts == [])
        try await world.converge()
        #expect(try device.tree() == ["g.txt": .file(Self.merged), "k": .file("keep")])
    }

    @Test("an edit of the same line is a conflict of the new name, and both are kept")
    func conflict() async throws {
        try change()
        try other.write(["f.txt": .file(Self.last)])
        try await other.sync()
        let report = try await device.sync()
        #expect(report.copies.count == 1)
        try await world.converge()
        #expect(try device.names.count == 3 && !device.names.contains("f.txt"))
        let texts = try device.names.compactMap { device.text($0) }
        #expect(Set(texts) == ["keep", Self.longer, Self.last])
    }

    @Test("what another device deleted stays at the new name", arguments: [true, false])
    func deleted(_ isRenameFirst: Bool) async throws {
        try change()
        other.remove("f.txt")
        try await (isRenameFirst ? device : other).sync()
        try await (isRenameFirst ? other : device).sync()
        try await world.converge()
        #expect(try device.tree() == ["g.txt": .file(Self.longer), "k": .file("keep")])
    }

    @Test("what another device renamed as well has both names, and each its content")
    func renamed() async throws {
        try change()
        other.rename("f.txt", "h.txt")
        try await other.sync()
        try await device.sync()
        try await world.converge()
        #expect(try device.names == ["g.txt", "h.txt", "k"])
        #expect(device.text("g.txt") == Self.longer && device.text("h.txt") == Self.base)
    }

    @Test("a clock that was set back tells no file from another: a deleted and a new one")
    func setBack() async throws {
        try change()
        world.clock.advance(by: .seconds(-86_400))
        let report = try await device.sync()
        #expect(report.steps.allSatisfy { $0.movedFrom == nil })
        try await world.converge()
        #expect(try other.tree() == ["g.txt": .file(Self.longer), "k": .file("keep")])
    }

    @Test("many that are renamed and get another content stop the run, as many deletions do")
    func many() async throws {
        for number in 0..<60 {
            let name = TreeFixture.Name(Array("m\(number)".utf8))
            try other.write([name: .file("text \(number)")])
        }
        try await world.converge()
        for number in 0..<60 {
            device.rename("m\(number)", "m\(number).enc")
            let file = try #require(fopen(device.at("m\(number).enc"), "r+"))
            fputs("scrambled \(number)", file)
            fclose(file)
        }
        let failure = await #expect(throws: Failure.self) { try await device.sync() }
        #expect(failure?.code == .limit)
        #expect(
            failure?.message.hasSuffix(" Of these, 60 get another name and another content.")
                == true, "\(failure?.message ?? "")")
        #expect(failure?.remedy.contains("undelete") == false)
        try await other.sync()
        #expect(other.text("m0") == "text 0")
    }

    @Test("what is not sent yet has the same new name, and is not listed as deleted")
    func unsent() async throws {
        let (old, new) = (try RelativePath("f.txt"), try RelativePath("g.txt"))
        try change()
        let found = try await device.with { try await $0.localState()?.newNames }
        #expect(found == [old: new])
        let origins = try await device.with { try await $0.localState()?.renames.origins }
        #expect(origins?[new]?.path == old && origins?[new]?.isEdited == true)
    }

    @Test("a new file in place of a deleted one is no rename")
    func another() async throws {
        device.remove("f.txt")
        try device.write(["g.txt": .file("another")])
        let report = try await device.sync()
        #expect(report.publishedCommits == 1)
        #expect(report.steps.allSatisfy { $0.movedFrom == nil })
    }
}
