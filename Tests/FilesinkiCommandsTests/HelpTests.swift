import ArgumentParser
import Foundation
import Testing

@testable import FilesinkiCommands

@Suite("Help, aliases and examples")
struct HelpTests {
    @Test(
        "an alias is the command that it stands for",
        arguments: [
            (["history", "one"], ["log", "one"]), (["versions", "one"], ["log", "one"]),
            (["cat", "one"], ["load", "one"]), (["rm", "none"], ["delete", "none"]),
            (["list", "-l"], ["ls", "-l"]),
            (["kv", "rm", "none", "--json"], ["kv", "unset", "none", "--json"]),
            (["rec", "show", "none"], ["rec", "get", "none"]),
            (["rec", "subscribe", "remove", "none"], ["rec", "subscribe", "rm", "none"]),
        ])
    func aliases(_ alias: [String], _ command: [String]) async throws {
        let world = try await ReplicaTests.pair()
        let end = ["--root", "a"]
        let first = try await world.run(bytes: (alias + end).map { Array($0.utf8) })
        let second = try await world.run(bytes: (command + end).map { Array($0.utf8) })
        #expect(!(first.text + first.talk).isEmpty)
        #expect(first.code == second.code)
        #expect(first.text == second.text && first.talk == second.talk)
    }

    @Test("a mistyped topic is answered with the nearest one")
    func mistypedTopic() async throws {
        let outcome = try await World().run("help", "exit-code")
        #expect(outcome.code == .usage)
        #expect(outcome.talk.contains("Did you mean 'exit-codes'?"), "\(outcome.talk)")
    }

    @Test("help lists the topics, and each is at most 80 columns wide")
    func topics() async throws {
        let world = try World()
        let help = try await world.run("help").text.split(separator: "\n").joined(separator: " ")
        #expect(help.contains(HelpTopic.names))
        for topic in HelpTopic.allCases {
            let text = try await world.run("help", topic.rawValue)
            #expect(text.code == .done)
            for line in text.lines { #expect(line.count <= 80, "\(line)") }
        }
    }

    @Test("the topic lists all exit codes")
    func exitCodes() {
        let numbers = HelpTopic.exitCodes.text.split(separator: "\n").compactMap { line in
            line.split(separator: " ").first.flatMap { Int32($0) }
        }
        #expect(numbers == ExitCode.allCases.map(\.rawValue))
    }

    @Test("the topic lists the variables of the manual")
    func environment() throws {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        let document = try String(contentsOfFile: root + "/Docs/CommandLine.md", encoding: .utf8)
        let section = try #require(document.components(separatedBy: "## Environment").last)
        let names = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .flatMap { $0.split(separator: "|")[0].matches(of: /`([A-Z_]+)`/).map(\.1) }
        #expect(names.count > 8)
        for name in names {
            #expect(HelpTopic.environment.text.contains(name), "\(name)")
        }
    }

    @Test("every command has examples, and no other name has")
    func exampleOfEachCommand() {
        #expect(CommandExamples.all.keys.sorted() == CommandNames.all.sorted())
        #expect(CommandExamples.all.allSatisfy { !$0.value.isEmpty })
    }

    @Test("the help of every command, and its usage in an error, are at most 80 columns wide")
    func width() async throws {
        let world = try World()
        var commands = [[]] + CommandNames.all.map { $0.split(separator: " ").map(String.init) }
        commands += [["kv"], ["devices"], ["remote"], ["key"], ["config"], ["serve"]]
        for command in commands {
            let help = try await world.run(bytes: (command + ["--help"]).map { Array($0.utf8) })
            let wrong = try await world.run(bytes: (command + ["--no"]).map { Array($0.utf8) })
            #expect(help.code == .done && wrong.code == .usage)
            let usage = wrong.talk.split(separator: "\n").drop { !$0.hasPrefix("Usage: ") }
            #expect(!usage.isEmpty, "\(command): \(wrong.talk)")
            for line in help.lines + usage.map(String.init) {
                #expect(line.count <= 80, "\(command): \(line)")
            }
        }
    }

    @Test("a usage is broken between arguments, and loses nothing")
    func broken() {
        let arguments = (1...9).map { "[--option-\($0) <value>]" }
        let usage = "USAGE: filesinki x " + arguments.joined(separator: " ")
        let lines = HelpText.wrapped(usage + "\n\nOPTIONS:").split(separator: "\n").map(String.init)
        #expect(lines.count == 5, "\(lines)")
        #expect(lines[1].hasPrefix("         [--option-"))
        #expect(
            lines.dropLast().joined(separator: " ").split(separator: " ")
                == usage.split(separator: " "))
        #expect(
            lines.allSatisfy { $0.count(where: { $0 == "[" }) == $0.count(where: { $0 == "]" }) })
    }

    @Test("each example can be parsed, and is one of its command")
    func examplesParse() throws {
        for (name, examples) in CommandExamples.all {
            for example in examples {
                let words = Self.words(of: example)
                #expect(CommandNames.wholeName(in: words) == name, "\(example)")
                #expect(throws: Never.self, "\(example)") {
                    let command = try NamedCommand.parse(CompressionOption.complete(words))
                    #expect(command is any Command)
                }
                #expect(example.count <= 78, "\(example)")
            }
        }
    }

    @Test(
        "the help of a command ends with its examples",
        arguments: [
            ["log", "--help"], ["help", "log"], ["history", "-h"],
        ])
    func shown(_ command: [String]) async throws {
        let outcome = try await World().run(bytes: command.map { Array($0.utf8) })
        #expect(outcome.code == .done)
        #expect(
            outcome.text.hasSuffix(
                "\n\nEXAMPLES:\n  filesinki log -n 10\n  filesinki log notes/a\n"
                    + "  filesinki log --since '2 days ago' --device laptop\n"))
    }

    /// The arguments of filesinki in a line for a shell.
    private static func words(of line: String) -> [String] {
        var words: [String] = []
        var isQuoted = false
        var word: String?
        for letter in line {
            if letter == "'" {
                isQuoted.toggle()
                word = word ?? ""
            } else if letter == " ", !isQuoted {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(letter)
            }
        }
        if let word { words.append(word) }
        if words[0].hasPrefix("PS1=$(") {
            words = words[0].dropFirst(6).prefix { $0 != ")" }.split(separator: " ").map(
                String.init)
        }
        let start = words.firstIndex(of: "filesinki").map { $0 + 1 } ?? words.count
        return Array(words[start...].prefix { !["|", ">", "2>/dev/null"].contains($0) })
    }
}
