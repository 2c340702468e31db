import ArgumentParser

/// One command of the command line: its arguments as properties, and what it does with them.
///
/// A command is thin: it turns arguments into the engine's values, calls the engine once, renders
/// the one value it gives back as text or JSON, and says with which code the process ends.
protocol Command: ParsableCommand {
    /// Does the work.
    ///
    /// - Throws: `Failure` for everything that stops the command.
    func run(in console: Console) async throws -> ExitCode
}
