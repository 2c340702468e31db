import FilesinkiRemote

/// Where the commits of a zone lie: see Docs/Format.md. The one thing that the server knows of what a
/// store means, so that a log is read in one round trip.
enum LogSlots {
    /// The slot that comes `step` after a number; nil when no number does.
    static func request(zone: String, from: UInt64, step: Int) -> ObjectRequest? {
        let (number, overflow) = from.addingReportingOverflow(UInt64(max(0, step)))
        let text = String(number)
        let zeros = String(repeating: "0", count: max(0, 20 - text.utf8.count))
        guard !overflow, let key = try? ObjectKey("zones/\(zone)/log/\(zeros)\(text)/c") else {
            return nil
        }
        return ObjectRequest(key)
    }
}
