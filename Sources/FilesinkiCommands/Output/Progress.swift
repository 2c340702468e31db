import FilesinkiEngine
import FilesinkiItems
import FilesinkiModel
import Synchronization

/// Shows the progress of a run: one line on a terminal, which is redrawn; elsewhere, with `-v`, a plain line now
/// and then.
final class ProgressLine: Sendable {
    private let console: Console
    private let state: Mutex<State>
    private let columns: (@Sendable () -> Int)?
    /// Takes the progress in place of the terminal; nil for none.
    private let caller: (@Sendable (Progress) -> Void)?

    private struct State {
        var progress: Progress?
        /// When the run began, and its phase.
        var began: Timestamp
        var phaseBegan = Timestamp(nanoseconds: 0)
        var shown = Timestamp(nanoseconds: 0)
        /// How many columns the line takes that is to be seen now.
        var visible = 0
    }

    /// A run that takes less than half a second shows no progress.
    private static let quietTime: Int64 = 500_000_000
    /// The time between two updates of the line and of the plain text, in nanoseconds.
    private static let interval: Int64 = 100_000_000
    private static let plainInterval: Int64 = 10_000_000_000

    /// - Parameter caller: Takes the progress in place of the terminal; nil for none.
    init(_ console: Console, for caller: (@Sendable (Progress) -> Void)? = nil) {
        self.console = console
        self.caller = caller
        columns = console.terminals.talk ? console.terminals.columns : nil
        state = Mutex(State(began: console.systemContext.now()))
    }

    /// Whether there is somebody to see it.
    static func isWanted(in console: Console) -> Bool {
        switch (console.outputOptions.progress, console.outputOptions.verbosity) {
        case (.never, _), (_, .quiet): false
        case (.auto, .normal): console.terminals.talk
        case (.always, _), (.auto, .verbose): true
        }
    }

    func show(_ progress: Progress) {
        if let caller { return caller(progress) }
        let now = console.systemContext.now()
        state.withLock { state in
            if state.progress?.phase != progress.phase { state.phaseBegan = now }
            state.progress = progress
        }
        draw(now)
    }

    /// Redraws the line from time to time, also without news: the rate falls when a link hangs.
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
                now.nanoseconds &- state.began.nanoseconds >= Self.quietTime,
                now.nanoseconds &- state.shown.nanoseconds >= interval
            else { return }
            state.shown = now
            let elapsed = Double(now.nanoseconds &- state.phaseBegan.nanoseconds) / 1e9
            let line = ProgressText.line(progress, elapsed: elapsed, columns: room)
            guard let room else { return console.say(line) }
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

extension Console {
    /// Shows progress while `body` runs, if the user sees a terminal, or tells it to a caller that asked for it.
    func withProgress<Result: Sendable>(
        _ body: (ProgressLine?) async throws -> Result
    ) async throws -> Result {
        if let caller = call?.onProgress {
            return try await body(ProgressLine(self, for: caller))
        }
        guard ProgressLine.isWanted(in: self) else { return try await body(nil) }
        let progress = ProgressLine(self)
        let drawing = Task { await progress.keepDrawing() }
        defer {
            drawing.cancel()
            progress.clear()
        }
        return try await body(progress)
    }
}

extension ExchangeOptions {
    /// Shows on a line how far the assets are.
    mutating func show(on line: ProgressLine?) {
        guard let line else { return }
        onProgress = { progress in
            line.show(
                Progress(
                    .publishing, files: progress.assets, totalFiles: progress.totalAssets,
                    bytes: progress.bytes, totalBytes: progress.totalBytes))
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

/// How far a run is, on one line: phase, share, bar, files, bytes, rate, time left.
enum ProgressText {
    /// A bar is between as many columns wide, or left out.
    private static let barWidths = 5...40

    /// - Parameters:
    ///   - elapsed: Seconds since the phase began.
    ///   - columns: How wide the line may be; nil for a plain line without a bar.
    static func line(_ progress: Progress, elapsed: Double, columns: Int?) -> String {
        var facts = facts(progress, elapsed)
        let share = share(progress).map { " \(Int($0 * 100))%" } ?? ""
        let head = words(for: progress.phase) + share
        guard let columns else { return ([head] + facts).joined(separator: ", ") }
        // What tells least goes first where the line is narrow.
        while facts.count > 1, text(head, "", facts).count > columns { facts.removeFirst() }
        let room = columns - text(head, "", facts).count - 3
        guard let share = self.share(progress), room >= barWidths.lowerBound else {
            return String(text(head, "", facts).prefix(max(0, columns)))
        }
        return text(head, bar(share, width: min(room, barWidths.upperBound)), facts)
    }

    private static func words(for phase: Progress.Phase) -> String {
        phase == .testing ? "testing the remote" : phase.rawValue
    }

    private static func text(_ head: String, _ bar: String, _ facts: [String]) -> String {
        head + bar + "  " + facts.joined(separator: ", ")
    }

    private static func bar(_ share: Double, width: Int) -> String {
        let done = Int(share * Double(width))
        return " [" + String(repeating: "#", count: done)
            + String(repeating: "-", count: width - done) + "]"
    }

    private static func facts(_ progress: Progress, _ elapsed: Double) -> [String] {
        let items = progress.phase == .testing ? "tests" : "files"
        let total = progress.totalFiles > 0 ? " of \(progress.totalFiles)" : ""
        var facts = ["\(progress.files)\(total) \(items)"]
        if progress.bytes > 0 {
            let total = progress.totalBytes > 0 ? " of \(SizeText.text(progress.totalBytes))" : ""
            facts.append(SizeText.text(progress.bytes) + total)
        }
        guard elapsed >= 1 else { return facts }
        if progress.bytes > 0 {
            facts.append(SizeText.text(Int64(Double(progress.bytes) / elapsed)) + "/s")
        }
        if let left = secondsLeft(progress, elapsed) { facts.append(clock(left) + " left") }
        return facts
    }

    /// 0 to 1; nil when it is not known how much there is. By bytes where there are any: files differ
    /// in size.
    private static func share(_ progress: Progress) -> Double? {
        let byBytes = progress.totalBytes > 0
        let total = byBytes ? Double(progress.totalBytes) : Double(progress.totalFiles)
        let done = byBytes ? Double(progress.bytes) : Double(progress.files)
        return total > 0 ? min(1, max(0, done / total)) : nil
    }

    private static func secondsLeft(_ progress: Progress, _ elapsed: Double) -> Int64? {
        guard let share = share(progress), share > 0 else { return nil }
        return Int64((elapsed * (1 - share) / share).rounded(.up))
    }

    /// `0:07`, `12:30`, `2:05:00`.
    private static func clock(_ seconds: Int64) -> String {
        let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
        let tail = (rest < 10 ? ":0" : ":") + "\(rest)"
        guard hours > 0 else { return "\(minutes)" + tail }
        return "\(hours)" + (minutes < 10 ? ":0" : ":") + "\(minutes)" + tail
    }
}
