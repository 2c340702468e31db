import FilesinkiEngine
import FilesinkiModel
import Synchronization

/// Shows how far a run is: one line on a terminal, drawn anew; elsewhere, with `-v`, a plain line now
/// and then.
final class ProgressLine: Sendable {
    private let console: Console
    private let state: Mutex<State>
    private let columns: (@Sendable () -> Int)?

    private struct State {
        var progress: Progress?
        /// When the run began, and its phase.
        var began: Timestamp
        var phaseBegan = Timestamp(nanoseconds: 0)
        var shown = Timestamp(nanoseconds: 0)
        /// How many columns the line takes that is to be seen now.
        var visible = 0
    }

    /// Nobody has to be told of what is over in half a second.
    private static let patience: Int64 = 500_000_000
    /// How often the line is drawn anew, in nanoseconds; a plain one is printed.
    private static let interval: Int64 = 100_000_000
    private static let plainInterval: Int64 = 10_000_000_000

    init(_ console: Console) {
        self.console = console
        columns = console.terminals.talk ? console.terminals.columns : nil
        state = Mutex(State(began: console.systemContext.now()))
    }

    /// Whether there is somebody to see it.
    static func isWanted(in console: Console) -> Bool {
        switch console.outputOptions.verbosity {
        case .quiet: false
        case .normal: console.terminals.talk
        case .verbose: true
        }
    }

    func show(_ progress: Progress) {
        let now = console.systemContext.now()
        state.withLock { state in
            if state.progress?.phase != progress.phase { state.phaseBegan = now }
            state.progress = progress
        }
        draw(now)
    }

    /// Draws the line from time to time, also while nothing is told: a rate falls when a link hangs.
    func keepDrawing() async {
        while true {
            do { try await console.timer(.milliseconds(200)) } catch { return }
            if Task.isCancelled { return }
            draw(console.systemContext.now())
        }
    }

    private func draw(_ now: Timestamp) {
        let isPlain = columns == nil
        let room = columns.map { max(1, $0() - 1) }
        state.withLock { state in
            let interval = isPlain ? Self.plainInterval : Self.interval
            guard let progress = state.progress, !console.outputOptions.isAsking,
                now.nanoseconds &- state.began.nanoseconds >= Self.patience,
                now.nanoseconds &- state.shown.nanoseconds >= interval
            else { return }
            state.shown = now
            let elapsed = Double(now.nanoseconds &- state.phaseBegan.nanoseconds) / 1e9
            let line = ProgressText.line(progress, elapsed: elapsed, columns: room)
            guard let room else { return console.detail(line) }
            console.redrawTalk(line, over: state.visible, columns: room + 1)
            state.visible = line.count
        }
    }

    /// Takes the line away.
    func clear() {
        state.withLock { state in
            if state.visible > 0, let columns {
                console.redrawTalk("", over: state.visible, columns: columns())
            }
            state.visible = 0
            state.progress = nil
        }
    }
}

extension SyncOptions {
    /// Options that change nothing, with a progress line if there is one.
    init(showing line: ProgressLine?) {
        self.init()
        if let line { progress = { line.show($0) } }
    }
}
