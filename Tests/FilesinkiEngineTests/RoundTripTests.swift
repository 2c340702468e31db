import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@Suite("Measure")
struct MeasureTests {
    let world: World
    let counting: CountingRemote

    init() throws {
        world = try World()
        counting = CountingRemote(world.store)
    }

    func machine(_ name: String) -> Machine {
        Machine(
            root: world.folder.path(name), remote: counting,
            surroundings: world.clock.surroundings, clock: world.clock)
    }

    @discardableResult
    func count<A>(_ what: String, _ body: () async throws -> A) async throws -> A {
        counting.reset()
        let answer = try await body()
        let c = counting.counts
        print("MEASURE \(what): \(c.requests) = get \(c.gets) read \(c.reads) publish \(c.publications) put \(c.puts) list \(c.lists) delete \(c.deletions); in \(c.bytesRead) out \(c.bytesWritten)")
        return answer
    }

    @Test func small() async throws {
        let a = machine("a")
        let b = machine("b")
        try await count("init new") { _ = try await Replica.initialize(a.options, address: "memory", deviceName: "a") }
        try await count("sync empty") { try await a.sync() }
        try a.write(["f": .file("x"), "g": .file("y")])
        try await count("first sync") { try await a.sync() }
        try await count("no change") { try await a.sync() }
        try await count("init there") { _ = try await Replica.initialize(b.options, address: "memory", deviceName: "b") }
        try await count("clone sync") { try await b.sync() }
        try await count("no change b") { try await b.sync() }
        try await count("save") { try await a.save("s", at: "f") }
        try await count("save2") { try await a.save("s2", at: "f") }
        try await count("save --if-version") { try await a.save("s3", at: "f", ifVersion: 3) }
        try await count("sync after saves") { try await a.sync() }
        try await count("sync b takes 3") { try await b.sync() }
        let path = try RelativePath("f")
        try await count("load unchanged") { try await b.with { try await $0.load(path, isOffline: false, SyncOptions()) { _ in } } }
        try await a.save("s4", at: "f")
        try await count("load changed") { try await b.with { try await $0.load(path, isOffline: false, SyncOptions()) { _ in } } }
        try await count("delete") { try await a.with { try await $0.delete([RelativePath("g")], recursive: false, SyncOptions()) } }
        try await count("undelete") { try await a.with { try await $0.undelete(RelativePath("g"), SyncOptions()) } }
        for n in 0..<20 { try await a.save("n\(n)", at: "h\(n % 5)") }
        try await count("sync b takes 22") { try await b.sync() }
        try await count("log") { try await a.with { try await $0.history(of: path) } }
        try await count("restore") { try await a.with { try await $0.restore(path, version: 2, SyncOptions()) } }
        try await count("show") { try await a.with { try await $0.show(path, version: 2) { _ in } } }
        try await count("status") { try await a.with { try await $0.status() } }
        try await count("conflicts") { try await a.with { try await $0.conflicts() } }
        try await count("devices") { try await a.with { try await $0.devices() } }
        try await count("check") { try await a.with { try await $0.check(readData: true, progress: nil) } }
        try a.write(["f": .file("x edited")])
        try await count("sync small edit") { try await a.sync() }
        let c = machine("c")
        _ = try await Replica.initialize(c.options, address: "memory", deviceName: "c")
        try await count("clone of 29 commits") { try await c.sync() }
        try await count("explain") { try await a.with { try await $0.explain(path) } }
    }

    func tree(_ name: String, _ files: Int, _ random: inout SeededRandom) -> TreeFixture {
        var tree = TreeFixture()
        for start in stride(from: 0, to: files, by: 100) {
            var folder = TreeFixture()
            for n in start..<min(files, start + 100) {
                folder[TreeFixture.Name(Array("f\(n)".utf8))] = .bytes(random.bytes(Int.random(in: 10...6000, using: &random)), mode: 0o644, modified: nil)
            }
            tree[TreeFixture.Name(Array("\(name)\(start)".utf8))] = .folder(folder, mode: 0o755)
        }
        return tree
    }

    @Test(arguments: [1000, 10_000]) func many(_ files: Int) async throws {
        var random = SeededRandom(seed: 3)
        let tree = self.tree("d", files, &random)
        let a = machine("a")
        _ = try await Replica.initialize(a.options, address: "memory", deviceName: "a")
        try a.write(tree)
        try await count("first sync \(files)") { try await a.sync() }
        try await count("no change \(files)") { try await a.sync() }
        try await count("save \(files)") { try await a.save("new", at: "new") }
        let b = machine("b")
        _ = try await Replica.initialize(b.options, address: "memory", deviceName: "b")
        try await count("clone \(files)") { try await b.sync() }
        try await count("no change b \(files)") { try await b.sync() }
        try await count("save b \(files)") { try await b.save("newer", at: "newb") }
        let again = self.tree("e", files, &random)
        try b.write(again)
        try await count("second up \(files)") { try await b.sync() }
        try await count("second down \(files)") { try await a.sync() }
        let moment = world.clock.surroundings.now()
        try await count("restore at \(files)") { try await b.with { try await $0.restore(at: moment, []) { _, _, _ in } } }
        try await count("check -r \(files)") { try await b.with { try await $0.check(readData: true, progress: nil) } }
    }
}
