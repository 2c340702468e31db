import FilesinkiEngine

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
        let head = progress.phase.rawValue + share
        guard let columns else { return ([head] + facts).joined(separator: ", ") }
        // What tells least goes first where the line is narrow.
        while facts.count > 1, text(head, "", facts).count > columns { facts.removeFirst() }
        let room = columns - text(head, "", facts).count - 3
        guard let share = self.share(progress), room >= barWidths.lowerBound else {
            return String(text(head, "", facts).prefix(max(0, columns)))
        }
        return text(head, bar(share, width: min(room, barWidths.upperBound)), facts)
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
        var facts = [
            progress.totalFiles > 0
                ? "\(progress.files) of \(progress.totalFiles) files" : "\(progress.files) files"
        ]
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
