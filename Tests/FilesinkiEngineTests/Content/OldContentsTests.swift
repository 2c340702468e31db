import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

/// Contents in commits of old versions: a checkpoint does not list them, and every device reads them still.
@Suite("Contents of old versions")
struct OldContentsTests {
    let world: World
    private let path: RelativePath

    init() throws {
        world = try World()
        path = try RelativePath("f")
    }

    private func replica(_ name: String, every interval: UInt64) async throws -> Machine {
        var machine = try await world.replica(name)
        machine.options.checkpointInterval = interval
        return machine
    }

    private var shelf: CheckpointStore {
        get async throws {
            let format = try #require(try await StoreFormat.read(from: world.store))
            return try CheckpointStore(remote: world.store, zone: "files", store: format)
        }
    }

    private func texts(_ commit: Commit?) -> [String] {
        (commit?.inline ?? []).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test("a checkpoint does not grow with the versions; a device restores each of them from it")
    func versions() async throws {
        let a = try await replica("a", every: 10)
        try await a.save("other", at: "g")
        var saved: [UInt64: String] = [:]
        for number in 1...29 { saved[try await a.save("\(number)", at: "f").version] = "\(number)" }
        for sequence in try await shelf.sequences() {
            let checkpoint = try #require(try await shelf.read(sequence))
            #expect(checkpoint.entries.count == 2)
            #expect(checkpoint.inline.map(\.sequence).sorted() == [1, sequence])
        }
        let b = try await world.replica("b")
        try await b.sync()
        #expect(b.text("f") == "29" && b.text("g") == "other")
        for version in saved.keys.sorted().dropLast() {
            _ = try await b.with { try await $0.restore(path, version: version, SyncOptions()) }
            #expect(b.text("f") == saved[version])
        }
        b.remove("f")
        try await b.sync()
        _ = try await b.with { try await $0.undelete(path, SyncOptions()) }
        #expect(b.text("f") == saved[saved.keys.sorted().dropLast().last ?? 0])
    }

    @Test("a content is shown by its id, wherever in the log it lies")
    func byIdentity() async throws {
        let a = try await replica("a", every: 4)
        for number in 1...9 { try await a.save("\(number)", at: "f") }
        let b = try await world.replica("b")
        try await b.sync()
        let first = try #require(try await world.commits().first?.inline.first)
        #expect(try await b.with { try await $0.shown(first.id) } == "1")
    }

    @Test("a content that only an earlier commit holds is found, and the next checkpoint lists it")
    func namedAgain() async throws {
        var log = try await LogFixture(at: world.store)
        try await log.commit(
            [LogFixture.file("f", "one")], inline: LogFixture.inline("one"))
        try await log.commit(
            [LogFixture.file("f", "two", basedOn: 1)], inline: LogFixture.inline("two"))
        let checkpoint = Checkpoint(
            token: log.token,
            entries: [
                CheckpointRow(
                    path: path,
                    entry: VersionedEntry(try LogFixture.file("f", "two").entry, version: 2))
            ],
            inline: LogFixture.inline("two").map { InlineLocation(id: $0.id, sequence: 2) })
        try await shelf.save(checkpoint)
        // As the first programs did.
        try await log.commit([LogFixture.file("f", "one", basedOn: 2)])
        let b = try await replica("b", every: 2)
        try await b.sync()
        #expect(b.text("f") == "one")
        try await b.save("own", at: "g")
        let made = try #require(try await shelf.read(4))
        let one = try #require(LogFixture.inline("one").first)
        #expect(made.inline.contains(InlineLocation(id: one.id, sequence: 1)))
        let c = try await world.replica("c")
        try await c.sync()
        #expect(c.text("f") == "one" && c.text("g") == "own")
    }

    @Test("an edit that is undone is stored again; what a file of the tree has is not")
    func storedAgain() async throws {
        let a = try await world.replica("a")
        for text in ["one", "two", "one"] {
            try a.write(["f": .file(text)])
            try await a.sync()
            #expect(try await texts(world.commits().last) == [text])
        }
        try a.write(["copy": .file("one")])
        try await a.sync()
        #expect(try await texts(world.commits().last) == [])
        #expect(try await world.commits().count == 4)
    }
}
