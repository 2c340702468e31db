import FilesinkiCommands
import Testing

@Suite("Usage")
struct UsageTests {
    @Test(
        "invalid usage exits with 2, explains on stderr and prints nothing",
        arguments: [
            ["compress", "--no-such-flag"], ["no-such-command"], ["compress", "a", "b"],
            ["completions"], ["completions", "tcsh"], ["--no-such-flag"],
        ])
    func usage(_ arguments: [String]) async throws {
        let world = try World()
        let outcome = try await world.run(bytes: arguments.map { Array($0.utf8) })
        #expect(outcome.code == .usage)
        #expect(outcome.output.isEmpty)
        #expect(outcome.talk.hasPrefix("filesinki: "))
    }

    @Test(
        "help goes to standard output and exits with 0",
        arguments: [["--help"], ["help"], ["help", "compress"], []])
    func help(_ arguments: [String]) async throws {
        let world = try World()
        let outcome = try await world.run(bytes: arguments.map { Array($0.utf8) })
        #expect(outcome.code == .done)
        #expect(outcome.text.contains("USAGE: filesinki"))
        #expect(outcome.talk.isEmpty)
    }

    @Test(
        "help and usage errors of a subcommand show its full name",
        arguments: [
            ["kv", "get"], ["devices", "forget"], ["serve", "token", "revoke"], ["save"],
        ])
    func wholeName(_ command: [String]) async throws {
        let world = try World()
        let name = "filesinki " + command.joined(separator: " ")
        let help = try await world.run(bytes: (command + ["--help"]).map { Array($0.utf8) })
        #expect(help.code == .done)
        #expect(help.text.contains("USAGE: \(name) "))
        let misused = try await world.run(bytes: (command + ["--no-such"]).map { Array($0.utf8) })
        #expect(misused.code == .usage)
        #expect(misused.talk.contains("Usage: \(name) "))
    }

    @Test("--version names the program and its libraries")
    func version() async throws {
        let world = try World()
        let outcome = try await world.run("--version")
        #expect(outcome.code == .done)
        #expect(outcome.lines.first?.hasPrefix("filesinki ") == true)
        #expect(outcome.text.contains("liblzma 5."))
        #expect(outcome.text.contains("libzstd 1."))
    }

    @Test("each shell's completions contain the commands", arguments: ["bash", "zsh", "fish"])
    func completions(_ shell: String) async throws {
        let world = try World()
        let outcome = try await world.run("completions", shell)
        #expect(outcome.code == .done)
        #expect(outcome.text.contains("decompress"))
    }
}
