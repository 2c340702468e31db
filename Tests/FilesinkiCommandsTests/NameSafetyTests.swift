import FilesinkiCommands
import Testing

@Suite("Names of any bytes")
struct NameSafetyTests {
    /// Clears a screen, breaks a line, is no UTF-8, turns the direction of text.
    private static let name = Array("x\u{1B}[2J\n\r\t\u{202E}\u{9B}\\\"y".utf8) + [0xFF, 0x80]
    private static let hex = name.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()

    private static func world() async throws -> World {
        let world = try await ReplicaTests.pair()
        _ = try await world.run(
            bytes: [Array("save".utf8), Array("--root".utf8), [0x61], name],
            input: [1])
        _ = try await world.run("sync", "b")
        return world
    }

    /// Whether a terminal shows the text and does nothing else.
    private static func isSafe(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar == "\n"
                || scalar.value >= 0x20 && scalar != "\u{202E}"
                    && !(0x7F...0x9F).contains(scalar.value)
        }
    }

    @Test(
        "a name cannot control the terminal, and JSON keeps all its bytes",
        arguments: [
            ["ls"], ["ls", "-l"], ["log"], ["explain"], ["diff"], ["load", "-v", "-o", "out"],
            ["check-ignore", "-v"], ["lint"], ["restore", "@2"], ["resolve", "--take", "here"],
            ["show"], ["delete"], ["undelete"], ["sync"],
        ])
    func names(_ line: [String]) async throws {
        let world = try await Self.world()
        if line[0] == "undelete" {
            _ = try await world.run(
                bytes: [Array("delete".utf8), Self.name].map { $0 }
                    + [Array("--root".utf8), [0x61]])
        }
        if ["diff", "sync"].contains(line[0]) {
            _ = try await world.run(
                bytes: [Array("save".utf8), Array("--root".utf8), [0x62], Self.name], input: [2])
        }
        var name = Self.name
        if line.last == "@2" { name += Array("@2".utf8) }
        let words = line.filter { $0 != "@2" }.map { Array($0.utf8) }
        let command = words + [Array("--root".utf8), [0x61], name]
        let text = try await world.run(bytes: command)
        #expect(Self.isSafe(text.text), "\(text.text)")
        #expect(Self.isSafe(text.talk), "\(text.talk)")
        // A test of a pattern answers no by its exit code alone.
        #expect(!(text.text + text.talk).isEmpty || [.done, .negative].contains(text.code))
        let json = try await world.run(bytes: command + [Array("--json".utf8)])
        #expect(Self.isSafe(json.text), "\(json.text)")
        for object in json.lines where object.contains(#""path":"#) {
            #expect(object.contains(#""path_bytes":"\#(Self.hex)""#), "\(object)")
        }
    }

    @Test func `arguments that the parser quotes cannot control a terminal`() async throws {
        let world = try World()
        let outcome = try await world.run("sync", "--no\u{1B}[2J\u{9B}such")
        #expect(outcome.code == .usage)
        #expect(Self.isSafe(outcome.talk), "\(outcome.talk)")
    }
}
