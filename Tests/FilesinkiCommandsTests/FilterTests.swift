import FilesinkiCommands
import FilesinkiModel
import Testing

@Suite("compress and decompress")
struct FilterTests {
    static let contents: [[UInt8]] = [
        [], [0], Array("hi\n".utf8), [UInt8](repeating: 7, count: 3_000_000),
    ]

    @Test("decompress returns what compress read", arguments: contents, ["xz", "zstd"])
    func roundTrip(_ content: [UInt8], _ format: String) async throws {
        let world = try World()
        let small = try await world.run("compress", "--format", format, input: content)
        #expect(small.code == .done)
        let back = try await world.run("decompress", "-", input: small.output)
        #expect(back.code == .done)
        #expect(compare(back.output, content) == 0)
    }

    @Test(
        "files get the suffix that xz gives; the source stays and the result is written atomically")
    func files() async throws {
        let world = try World()
        try world.write("text\n", to: "a")
        #expect(try await world.run("compress", "a", "-o", "a.xz", "-l", "9").code == .done)
        #expect(world.read("a.xz")?.starts(with: [0xFD, 0x37, 0x7A]) == true)
        #expect(try await world.run("decompress", "a.xz", "-o", "b").code == .done)
        #expect(world.readText("b") == "text\n")
        #expect(world.names() == ["a", "a.xz", "b"])
    }

    @Test("a failed run leaves no partial result and keeps the old file")
    func wholeOrNotAtAll() async throws {
        let world = try World()
        let small = try await world.run("compress", input: Array(repeating: 1, count: 90_000))
        try world.write(small.output.dropLast(5), to: "cut.xz")
        try world.write("old", to: "out")
        #expect(try await world.run("decompress", "cut.xz", "-o", "out").code == .corrupt)
        #expect(world.readText("out") == "old")
        #expect(world.names() == ["cut.xz", "out"])
    }

    @Test("damaged input exits with 8 and names the file")
    func corrupt() async throws {
        let world = try World()
        try world.write("no such stream", to: "a.xz")
        let outcome = try await world.run("decompress", "a.xz")
        #expect(outcome.code == .corrupt)
        #expect(outcome.talk.contains("a.xz: "))
    }

    @Test("an absent file exits with 1, an unknown level with 2, output to a terminal with 2")
    func refused() async throws {
        let world = try World()
        #expect(try await world.run("compress", "absent").code == .negative)
        #expect(try await world.run("compress", "--level", "10", input: []).code == .usage)
        #expect(try await world.run("compress", "--level", "-1", input: []).code == .usage)
        world.terminals.output = true
        #expect(try await world.run("compress", input: []).code == .usage)
    }
}
