import ArgumentParser
import FilesinkiModel

/// The whole command line, as one function.
package enum Program {
    /// Parses the arguments, runs the command, and gives back what the process should exit with.
    ///
    /// - Parameters:
    ///   - arguments: The arguments without the program's name, as bytes, for a path need not be
    ///     UTF-8.
    ///   - console: Where the command reads and writes.
    package static func run(arguments: [[UInt8]], in console: Console) async -> ExitCode {
        do {
            let code = try await run(arguments.map(ArgumentText.encode), in: console)
            try console.output.flush()
            return code
        } catch let failure as Failure {
            return report(failure, to: console)
        } catch {
            return report(parserError: error, to: console)
        }
    }

    private static func run(
        _ arguments: [String], in console: Console
    ) async throws -> ExitCode {
        // Not a flag of the parser's: it would take away `load --version V`.
        if arguments == ["--version"] {
            try console.output.line(Version.text)
            return .done
        }
        // Without an argument the help is what a person wants to see.
        var command = try FilesinkiCommand.parseAsRoot(arguments.isEmpty ? ["--help"] : arguments)
        if let command = command as? any Command { return try await command.run(in: console) }
        // The parser's own: `help` ends by throwing the text to print.
        try command.run()
        return .done
    }

    /// What was found before `failure` is still printed: stdout is data.
    private static func report(_ failure: Failure, to console: Console) -> ExitCode {
        if console.wishes.isJSON { try? console.output.json(failure.json(type: "failure")) }
        try? console.output.flush()
        console.complain(failure)
        return ExitCode(failure)
    }

    private static func report(parserError error: any Error, to console: Console) -> ExitCode {
        let message = FilesinkiCommand.fullMessage(for: error)
        guard FilesinkiCommand.exitCode(for: error).isSuccess else {
            let prefix = "Error: "
            let text = message.hasPrefix(prefix) ? message.dropFirst(prefix.count) : message[...]
            console.complain(ArgumentText.decode(String(text)))
            return .usage
        }
        do {
            try console.output.line(message)
            try console.output.flush()
            return .done
        } catch {
            console.complain("\(error)")
            return ExitCode(error)
        }
    }
}
