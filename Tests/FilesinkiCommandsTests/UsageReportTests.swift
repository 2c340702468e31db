import FilesinkiCommands
import FilesinkiTesting
import Testing

/// What `du` and `stats` print. The JSON is held by golden files.
@Suite("du and stats")
struct UsageReportTests {
    private func world() async throws -> World {
        let world = try World(isRepeatable: true)
        try world.write("one\n", to: "a/d/one")
        try world.write("one\n", to: "a/two")
        try world.write("longer than the others\n", to: "a/z")
        #expect(
            try await world.run("init", "a", "--remote", "store", "--device", "a").code == .done)
        #expect(try await world.run("sync", "a").code == .done)
        return world
    }

    @Test func `du prints columns and a total`() async throws {
        let world = try await world()
        let plain = try await world.run("du", "--root", "a")
        #expect(plain.code == .done, "\(plain.talk)")
        #expect(
            plain.lines == [
                "files  plain  stored  shared  path",
                "    1    4 B     4 B     4 B  d/",
                "    1    4 B     4 B     4 B  two",
                "    1   23 B    23 B          z",
                "    3   27 B    27 B     4 B  total",
            ], "\(plain.text)")
        let sorted = try await world.run("du", "--root", "a", "--sort", "size", "--depth", "2")
        #expect(
            sorted.lines.compactMap { $0.split(separator: " ").last } == [
                "path", "z", "d/", "d/one", "two", "total",
            ])
        let one = try await world.run("du", "--root", "a", "-d", "0", "d", "z")
        #expect(one.lines.count == 4, "\(one.text)")
    }

    @Test("du in a subfolder shows what is below it, as arguments name it there")
    func subfolder() async throws {
        let world = try await world()
        func paths(_ arguments: String...) async throws -> [Substring] {
            let outcome = try await world.run(bytes: (["du"] + arguments).map { Array($0.utf8) })
            #expect(outcome.code == .done, "\(outcome.talk)")
            return outcome.lines.compactMap { $0.split(separator: " ").last }
        }
        world.currentFolder = world.folder + "/a/d"
        #expect(try await paths() == ["path", "one", "total"])
        #expect(try await paths("--depth", "0") == ["path", "total"])
        #expect(try await paths("..") == ["path", "./", "../two", "../z", "total"])
        #expect(try await paths("--root", "..") == ["path", "d/", "two", "z", "total"])
        let json = try await world.run("du", "--json")
        #expect(json.lines.count == 2 && json.text.contains(#""path":"d/one""#), "\(json.text)")
        try world.makeFolder("a/new")
        world.currentFolder = world.folder + "/a/new"
        let new = try await world.run("du")
        #expect(new.code == .negative && new.text.isEmpty, "\(new)")
    }

    @Test func `du rejects an unknown path with 1, a wrong depth or order with 2`() async throws {
        let world = try await world()
        let absent = try await world.run("du", "--root", "a", "none", "z")
        #expect(absent.code == .negative)
        #expect(absent.talk.contains("none: "), "\(absent.talk)")
        #expect(absent.lines.count == 3)
        let none = try await world.run("du", "--root", "a", "none")
        #expect(none.code == .negative && none.text.isEmpty, "\(none.text)")
        #expect(try await world.run("du", "--root", "a", "--depth", "-1").code == .usage)
        #expect(try await world.run("du", "--root", "a", "--sort", "age").code == .usage)
        world.rename("store", to: "gone")
        #expect(try await world.run("du", "--root", "a").code == .away)
        #expect(try await world.run("stats", "--root", "a").code == .away)
    }

    @Test func `stats prints its tables within 80 columns`() async throws {
        let world = try await world()
        world.remove("a/z")
        #expect(try await world.run("sync", "a").code == .done)
        let outcome = try await world.run("stats", "--root", "a")
        #expect(outcome.code == .done, "\(outcome.talk)")
        #expect(outcome.lines.allSatisfy { $0.count <= 80 })
        for words in [
            ["commits", "2"], ["current", "tree", "1", "4", "B", "4", "B"],
            ["less", "than", "a", "day", "ago", "1", "23", "B", "23", "B"],
            ["a", "2", "0", "27", "B"],
        ] {
            #expect(
                outcome.lines.contains {
                    $0.split(separator: " ").map(String.init).starts(with: words)
                }, "\(words): \(outcome.text)")
        }
        #expect(outcome.text.contains("Deduplication 1.15, compression 1.00."), "\(outcome.text)")
        #expect(outcome.text.contains("23 B are not used by the current tree."))
    }
}
