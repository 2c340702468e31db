import ArgumentParser
import CVersion
import FilesinkiCompression
import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// The whole command line, as one function.
package enum Program {
    /// Parses the arguments, runs the command, and gives back what the process should exit with.
    ///
    /// - Parameters:
    ///   - arguments: The arguments without the program's name, as bytes, for a path need not be
    ///     UTF-8.
    ///   - console: Where the command reads and writes.
    package static func run(arguments: [[UInt8]], in console: Console) async -> ExitCode {
        let arguments = CommandNames.ordered(arguments.map(ArgumentText.encode))
        // A command line that cannot be parsed fails in the form that it asks for.
        console.outputOptions.isJSON = asksForJSON(arguments)
        do {
            if let candidates = Candidates(arguments) {
                try await candidates.show(in: console)
                return .done
            }
            guard let command = try parse(arguments, in: console) else {
                try console.output.flush()
                return .done
            }
            if let work = command.interruptedWork { console.explainInterruption(work) }
            let ping = try HealthPing(command, in: console)
            let code = await run(command, in: console)
            await ping?.send(code)
            return code
        } catch let failure as Failure {
            return report(failure, to: console)
        } catch {
            return report(parserError: error, arguments, to: console)
        }
    }

    /// The command that the arguments name; nil when they only ask for a text, which is printed.
    private static func parse(
        _ arguments: [String], in console: Console
    ) throws -> (any Command)? {
        // Not a flag of the parser's: it would take away `load --version V`.
        if arguments.first == "--version", arguments.dropFirst().allSatisfy({ $0 == "--json" }) {
            try Version.show(isJSON: arguments.count > 1, in: console)
            return nil
        }
        if let topic = HelpTopic(arguments) {
            try console.output.line(topic.text)
            return nil
        }
        if arguments.isEmpty {
            try console.output.line(Overview.text)
            return nil
        }
        try CommandNames.check(arguments)
        var command = try NamedCommand.parse(CompressionOption.complete(arguments))
        if let command = command as? any Command { return command }
        // The parser's own: `help` ends by throwing the text to print.
        try command.run()
        return nil
    }

    private static func asksForJSON(_ arguments: [String]) -> Bool {
        // These have no other form.
        let isEvents = ["observe", "changes"].contains(arguments.first)
        let isWatch = arguments.starts(with: ["kv", "watch"])
        return isEvents || isWatch || arguments.prefix { $0 != "--" }.contains("--json")
    }

    private static func run(_ command: any Command, in console: Console) async -> ExitCode {
        do {
            let limit = try command.waiting.limit().map { Duration.seconds($0) }
            let code = try await Deadline.enforce(
                limit, timer: console.timer, uploaded: { console.state?.unpublishedBytes ?? 0 }
            ) {
                try await command.run(in: console)
            }
            try console.output.flush()
            return code
        } catch let failure as Failure {
            return report(failure, to: console)
        } catch {
            return report(parserError: error, to: console)
        }
    }

    /// What was found before `failure` is still printed: stdout is data.
    private static func report(_ failure: Failure, to console: Console) -> ExitCode {
        if console.outputOptions.isJSON { try? console.output.json(failure.json(type: "failure")) }
        try? console.output.flush()
        console.complain(failure)
        return ExitCode(failure)
    }

    /// - Parameter arguments: The command line, if it could not be parsed, or asks for help.
    private static func report(
        parserError error: any Error, _ arguments: [String] = [], to console: Console
    ) -> ExitCode {
        let message = HelpText.wrapped(FilesinkiCommand.fullMessage(for: error))
        guard FilesinkiCommand.exitCode(for: error).isSuccess else {
            let prefix = "Error: "
            let words = message.hasPrefix(prefix) ? message.dropFirst(prefix.count) : message[...]
            let text = UnknownOption.explained(words, arguments)
            if console.outputOptions.isJSON {
                try? console.output.json(Failure.usage(text[...]).json(type: "failure"))
                try? console.output.flush()
            }
            console.complain(printableLines(ArgumentText.bytes(of: text)))
            return .usage
        }
        // The parser takes the h in a group of short options, such as -batch, for the one that asks for help.
        if let group = arguments.helpGroup {
            let text = UnknownOption.explained("Unknown option '\(group)'."[...], arguments)
            if console.outputOptions.isJSON {
                try? console.output.json(Failure.usage(text[...]).json(type: "failure"))
                try? console.output.flush()
            }
            console.complain(printableLines(ArgumentText.bytes(of: text)))
            return .usage
        }
        do {
            try console.output.line(message)
            if let examples = CommandExamples.text(for: arguments) {
                try console.output.line(examples)
            }
            try console.output.flush()
            return .done
        } catch {
            console.complain("\(error)")
            return ExitCode(error)
        }
    }

    /// Text of several lines, each safe for a terminal: the parser repeats what the user typed.
    private static func printableLines(_ bytes: [UInt8]) -> String {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.map { printable($0) }.joined(separator: "\n")
    }
}

extension [String] {
    /// A group of short options with an h in it; nil if there is none, or help was asked for otherwise.
    fileprivate var helpGroup: String? {
        let options = prefix { $0 != "--" }
        if options.first == "help" || options.contains("-h") || options.contains("--help") {
            return nil
        }
        return options.first {
            $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.count > 2 && $0.contains("h")
        }
    }
}

extension Failure {
    /// What the parser says: the mistake in its first line, then how the command is used.
    fileprivate static func usage(_ text: Substring) -> Failure {
        let lines = text.split(separator: "\n").map { line in
            ArgumentText.decode(String(line.drop { $0 == " " }))
        }
        return Failure(
            .usage, lines.first ?? "", remedy: lines.dropFirst().joined(separator: " "))
    }
}

/// The version of the program, and of the libraries that it is linked with.
enum Version {
    /// The program's own, after semver.org: see `CVersion.h`.
    static var number: String { String(cString: fsk_version()) }

    /// The commit that it was built from, abbreviated; nil if that is not known.
    static var commit: String? {
        let commit = String(cString: fsk_commit())
        return commit.isEmpty ? nil : commit
    }

    /// The version of the contract for `--json`: see `Docs/CommandLine.md`. It goes up when a member
    /// that was there changes or goes; new types and members leave it as it is.
    static let contract = 2

    /// One line for the program, one for each library.
    static var text: String {
        let libraries = CompressionLibraries.versions.map { "\($0.name) \($0.version)" }
        let program = "filesinki \(number)" + (commit.map { " (commit \($0))" } ?? "")
        return ([program] + libraries).joined(separator: "\n")
    }

    static func show(isJSON: Bool, in console: Console) throws {
        guard isJSON else { return try console.output.line(text) }
        var object: JSONObject = ["type": "program"]
        object.add("version", number)
        if let commit { object.add("commit", commit) }
        object.add("json", contract)
        for library in CompressionLibraries.versions { object.add(library.name, library.version) }
        try console.output.json(object)
    }
}
