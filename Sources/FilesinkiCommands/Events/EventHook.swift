import Dispatch
import FilesinkiModel
import FilesinkiSystem
import FilesinkiText
import Glibc

/// The command of `watch --exec`: one at a time, beside the watch, which does not wait for it. What
/// happens while it runs is passed to the next one.
actor EventHook {
    private let command: String
    private let console: Console
    /// The last event of each path, in the order of the first.
    private var waiting: [[UInt8]] = []
    private var places: [RelativePath: Int] = [:]
    private var running: Task<Void, Never>?
    /// A thread to wait on, which would take one from those who work.
    private let queue = DispatchQueue(label: "filesinki.exec")

    /// No command takes longer: a day.
    private static let limit = Duration.seconds(86_400)

    init(_ command: String, _ console: Console) {
        self.command = command
        self.console = console
    }

    /// Tells events to the next command, and starts it if none runs.
    func run(_ events: [WatchEvent]) {
        for event in events { add(event) }
        guard running == nil else { return }
        running = Task { await self.drain() }
    }

    /// Waits until every event was passed on.
    func finish() async { await running?.value }

    private func add(_ event: WatchEvent) {
        let line = event.json.bytes + [UInt8(ascii: "\n")]
        if let place = places[event.path] {
            waiting[place] = line
        } else {
            places[event.path] = waiting.count
            waiting.append(line)
        }
    }

    private func drain() async {
        while !waiting.isEmpty {
            let input = Array(waiting.joined())
            waiting = []
            places = [:]
            await start(input)
        }
        running = nil
    }

    private func start(_ input: [UInt8]) async {
        // With --json standard output is for the events.
        let output = console.outputOptions.isJSON ? STDERR_FILENO : STDOUT_FILENO
        let run = UserCommand(
            text: command, limit: Self.limit, inheritance: .all, input: input, output: output)
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

    private func say(_ what: String) { console.complain("The --exec command \(what).") }
}
