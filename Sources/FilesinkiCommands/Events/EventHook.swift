import FilesinkiModel
import FilesinkiText

/// The command of `watch --exec`: one at a time, beside the watch, which does not wait for it. What
/// happens while it runs is passed to the next one.
actor EventHook {
    private let command: HookCommand
    /// The last event of each path, in the order of the first.
    private var waiting: [[UInt8]] = []
    private var places: [RelativePath: Int] = [:]
    private var running: Task<Void, Never>?

    init(_ command: String, _ console: Console) {
        self.command = HookCommand(command, of: "--exec", console)
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
            await command.run(input: input)
        }
        running = nil
    }
}
