import ArgumentParser

/// One command of the command line: its arguments as properties, and what it does with them.
///
/// A command is thin: it turns arguments into the engine's values, calls the engine once, renders
/// the one value it gives back as text or JSON, and says with which code the process ends.
protocol Command: ParsableCommand, Sendable {
    /// How long the command may take.
    var waiting: WaitOptions { get }

    /// Where to say how it went, once it has ended; nil for nowhere.
    var pingAddress: String? { get }

    /// Does the work.
    ///
    /// - Throws: `Failure` for everything that stops the command.
    func run(in console: Console) async throws -> ExitCode
}

extension Command {
    var waiting: WaitOptions { WaitOptions.none }
    var pingAddress: String? { nil }
}

/// A command that works on a replica.
protocol ReplicaCommand: Command {
    var replica: RootOptions { get }
}

extension ReplicaCommand {
    var waiting: WaitOptions { replica.waiting }
}
