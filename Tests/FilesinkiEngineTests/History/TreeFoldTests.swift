import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

/// The tree at a point begins with the checkpoint before it: the log has lost its first commits.
@Suite("The tree at a point, from a checkpoint")
struct TreeFoldTests {
    let world: World
    let a: Machine
    private let path: RelativePath

    /// `g` is of commit 10, `d/x` of 11, and `f` of each commit up to 40 but these.
    init() async throws {
        world = try World()
        path = try RelativePath("f")
        var a = try await world.replica("a")
        a.options.checkpointInterval = 4
        self.a = a
        for number in 1...40 {
            switch number {
            case 10: try await a.save("g", at: "g")
            case 11:
                try a.write(["d": .directory(["x": .file("x")])])
                try await a.sync()
            case 38: try await a.save("new", at: "g")
            case 39: try await a.save("new", at: "d/x")
            default: try await a.save("\(number)", at: "f")
            }
        }
        for number in 1...5 {
            let key = "zones/files/log/0000000000000000000\(number)/c"
            world.store.objects[try ObjectKey(key)] = nil
        }
    }

    private func shown(_ path: RelativePath, _ tree: TreeAtPoint, _ b: Machine) async throws
        -> String
    {
        let sink = ByteBox()
        try await b.with { try await $0.show(path, in: tree) { sink.append($0) } }
        return String(decoding: sink.bytes, as: UTF8.self)
    }

    @Test(
        "commits before the checkpoint are not read", arguments: [30, 32, 33] as [UInt64])
    func commits(_ number: UInt64) async throws {
        for point in [HistoryPoint.commit(number), .version(number)] {
            let tree = try await a.with { try await $0.tree(at: point, of: []) }
            #expect(tree.sequence == number)
            #expect(tree.entries.map(\.0.description) == ["d", "d/x", "f", "g"])
            #expect(try tree.entry(path).version == number)
            #expect(try await shown(path, tree, a) == "\(number)")
        }
    }

    @Test("a device that began later reads the contents that the checkpoint lists")
    func contents() async throws {
        let b = try await world.replica("b")
        try await b.sync()
        #expect(b.text("g") == "new")
        let g = try RelativePath("g")
        let tree = try await b.with { try await $0.tree(at: .commit(30), of: [g]) }
        #expect(tree.entries.map(\.0) == [g])
        #expect(try await shown(g, tree, b) == "g")
    }

    @Test("the version of a folder is that of something in it")
    func folder() async throws {
        let folder = try RelativePath("d")
        let tree = try await a.with { try await $0.tree(at: .version(39), of: [folder]) }
        #expect(try tree.entry(folder).entry.kind == .directory)
    }
}
