import FilesinkiEngine
import FilesinkiModel
import Synchronization

/// One line on a terminal that says how far a run is, at what rate, and how long it will take.
final class ProgressLine: Sendable {
    private let console: Console
    private let state: Mutex<State>

    private struct State {
        var phase: Progress.Phase?
        var began = Timestamp(nanoseconds: 0)
        var shown = Timestamp(nanoseconds: 0)
        var isVisible = false
    }

    /// How often the line is drawn anew, in nanoseconds.
    private static let interval: Int64 = 100_000_000

    init(_ console: Console) {
        self.console = console
        state = Mutex(State())
    }

    /// Whether the user sees a terminal and wants talk.
    static func isWanted(in console: Console) -> Bool {
        console.terminals.talk && console.wishes.loudness != .quiet
    }

    func show(_ progress: Progress) {
        let now = console.surroundings.now()
        let line = state.withLock { state -> String? in
            if state.phase != progress.phase {
                state.phase = progress.phase
                state.began = now
            }
            guard now.nanoseconds &- state.shown.nanoseconds >= Self.interval else { return nil }
            state.shown = now
            state.isVisible = true
            let elapsed = Double(now.nanoseconds &- state.began.nanoseconds) / 1e9
            return Self.text(progress, elapsed: elapsed)
        }
        if let line { console.redrawTalk(line) }
    }

    /// Takes the line away.
    func clear() {
        let wasVisible = state.withLock { state in
            defer { state.isVisible = false }
            return state.isVisible
        }
        if wasVisible { console.redrawTalk("") }
    }

    /// - Parameter elapsed: Seconds since the phase began.
    static func text(_ progress: Progress, elapsed: Double) -> String {
        var parts = [progress.phase.rawValue]
        parts.append(
            progress.totalFiles > 0
                ? "\(progress.files) of \(progress.totalFiles) files" : "\(progress.files) files")
        if progress.bytes > 0 { parts.append(SizeText.text(progress.bytes)) }
        guard elapsed >= 1 else { return parts.joined(separator: ", ") }
        if progress.bytes > 0 {
            parts.append(SizeText.text(Int64(Double(progress.bytes) / elapsed)) + "/s")
        }
        if let left = secondsLeft(progress, elapsed) { parts.append("\(left) s left") }
        return parts.joined(separator: ", ")
    }

    private static func secondsLeft(_ progress: Progress, _ elapsed: Double) -> Int64? {
        let byBytes = progress.totalBytes > 0 && progress.bytes > 0
        let done = byBytes ? Double(progress.bytes) : Double(progress.files)
        let total = byBytes ? Double(progress.totalBytes) : Double(progress.totalFiles)
        guard done > 0, total >= done else { return nil }
        return Int64((elapsed * (total - done) / done).rounded(.up))
    }
}

extension SyncOptions {
    /// Options that change nothing, with a progress line if there is one.
    init(showing line: ProgressLine?) {
        self.init()
        if let line { progress = { line.show($0) } }
    }
}
