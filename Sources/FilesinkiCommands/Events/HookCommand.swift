import Dispatch
import FilesinkiModel
import FilesinkiSystem
import Glibc

/// A command that an option gives, as `watch --exec` does: run with `sh`, with all of this process's
/// environment. What goes wrong with it is only said.
struct HookCommand: Sendable {
    /// The option, for messages.
    private let option: String
    private let text: String
    private let console: Console
    /// A thread to wait on, which would take one from those who work.
    private let queue = DispatchQueue(label: "filesinki.hook")

    /// No command takes longer: a day.
    private static let limit = Duration.seconds(86_400)

    init(_ text: String, of option: String, _ console: Console) {
        self.text = text
        self.option = option
        self.console = console
    }

    /// Runs the command, and waits for its end.
    ///
    /// - Parameters:
    ///   - variables: What is added to the environment.
    ///   - input: Its standard input; nil for none.
    func run(
        _ variables: [(name: String, value: [UInt8])] = [], input: [UInt8]? = nil
    ) async {
        // With --json standard output is for the events.
        let output = console.outputOptions.isJSON ? STDERR_FILENO : STDOUT_FILENO
        let run = UserCommand(
            text: text, variables: variables, limit: Self.limit, inheritance: .all, input: input,
            output: output)
        do {
            switch try await outcome(of: run) {
            case .ended(code: 0, _): break
            case .ended(let code, _): say("ended with \(code)")
            case .ranOutOfTime: say("took longer than a day and was stopped")
            }
        } catch { console.complain("\(error)") }
    }

    private func outcome(of command: UserCommand) async throws -> UserCommand.Outcome {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try command.run() }) }
        }
    }

    private func say(_ what: String) { console.complain("The \(option) command \(what).") }
}
