import FilesinkiModel
import FilesinkiText

/// One line for each request. It names the token by its id, and never shows one.
struct AccessLog: Sendable {
    let sink: @Sendable (String) -> Void
    let systemContext: SystemContext

    /// What a line says of a request.
    struct Entry: Sendable {
        var address: String
        var tokenID: String?
        var method: String
        /// The path without what was asked of it; anything else a client wrote is made printable.
        var path: String
        var begun: ContinuousClock.Instant
    }

    /// - Parameters:
    ///   - bytes: Of the reply's body, as far as it was sent.
    ///   - note: Why the reply is not whole, or what the disk said.
    func write(_ entry: Entry, status: Int, bytes: Int64, note: String? = nil) {
        let elapsed = entry.begun.duration(to: ContinuousClock().now).components
        let milliseconds = elapsed.seconds * 1000 + elapsed.attoseconds / 1_000_000_000_000_000
        let fields = [
            DateText.rfc3339(systemContext.now()), entry.address, entry.tokenID ?? "-",
            printable(entry.method.utf8.prefix(20)), printable(entry.path.utf8.prefix(600)),
            String(status), String(bytes), "\(milliseconds)ms",
        ]
        sink((fields + (note.map { [printable($0.utf8)] } ?? [])).joined(separator: " "))
    }
}
