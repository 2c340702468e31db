import FilesinkiModel
import FilesinkiText
import Synchronization

/// The counters of the server, in the text format of Prometheus:
/// https://prometheus.io/docs/instrumenting/exposition_formats/
final class ServerMetrics: Sendable {
    private struct RequestKind: Hashable {
        var method: String
        var status: Int
    }

    private struct State {
        var requests: [RequestKind: Int] = [:]
        var received = 0
        var sent = 0
        var won = 0
        var lost = 0
    }

    private let state = Mutex(State())
    private let begun: Timestamp

    /// Methods that are counted by name; all others count as `other`.
    private static let methods: Set<String> = ["GET", "HEAD", "PUT", "POST", "DELETE"]

    init(begun: Timestamp) { self.begun = begun }

    func countRequest(_ method: String, _ status: Int) {
        let method = Self.methods.contains(method) ? method : "other"
        state.withLock { $0.requests[RequestKind(method: method, status: status), default: 0] += 1 }
    }

    func countReceived(_ bytes: Int) { state.withLock { $0.received &+= bytes } }

    func countSent(_ bytes: Int) { state.withLock { $0.sent &+= bytes } }

    func countPublication(won: Bool) {
        state.withLock { state in
            if won { state.won += 1 } else { state.lost += 1 }
        }
    }

    /// - Parameters:
    ///   - watchers: The number of open event streams.
    ///   - used: The size of the folder in bytes; nil when it is not measured.
    ///   - quota: The limit of the folder's size in bytes.
    func text(watchers: Int, used: Int64?, quota: Int64?, now: Timestamp) -> String {
        let state = state.withLock { $0 }
        var lines = Self.family("filesinki_requests_total", "counter", "Requests answered.")
        let requests = state.requests.sorted {
            ($0.key.method, $0.key.status) < ($1.key.method, $1.key.status)
        }
        for (kind, count) in requests {
            lines.append(
                "filesinki_requests_total{method=\"\(kind.method)\",status=\"\(kind.status)\"}"
                    + " \(count)")
        }
        lines += Self.single(
            "filesinki_received_bytes_total", "counter", "Bytes of request bodies received.",
            state.received)
        lines += Self.single(
            "filesinki_sent_bytes_total", "counter", "Bytes of reply bodies sent.", state.sent)
        lines += Self.family(
            "filesinki_publications_total", "counter", "Publications, by outcome.")
        lines.append("filesinki_publications_total{outcome=\"won\"} \(state.won)")
        lines.append("filesinki_publications_total{outcome=\"lost\"} \(state.lost)")
        lines += Self.single("filesinki_watchers", "gauge", "Open event streams.", watchers)
        if let used, let quota {
            lines += Self.single(
                "filesinki_used_bytes", "gauge", "Size of the store's folder in bytes.", used)
            lines += Self.single(
                "filesinki_quota_bytes", "gauge", "Maximum size of the store's folder in bytes.",
                quota)
        }
        lines += Self.single(
            "filesinki_uptime_seconds", "gauge", "Seconds since the server started.",
            max(0, now.seconds - begun.seconds))
        return lines.joined(separator: "\n") + "\n"
    }

    private static func family(_ name: String, _ type: String, _ help: String) -> [String] {
        ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"]
    }

    private static func single(
        _ name: String, _ type: String, _ help: String, _ value: some FixedWidthInteger
    ) -> [String] {
        family(name, type, help) + ["\(name) \(value)"]
    }
}

/// Writes one line for each request, with the token's id and no secret.
struct AccessLog: Sendable {
    let sink: @Sendable (String) -> Void
    let systemContext: SystemContext

    /// A request in the log.
    struct Entry: Sendable {
        var address: String
        var tokenID: String?
        var method: String
        /// The path without its query. Unprintable characters are escaped in the log.
        var path: String
        var started: ContinuousClock.Instant
    }

    /// - Parameters:
    ///   - bytes: How many bytes of the reply's body were sent.
    ///   - note: Why the reply is incomplete, or the error of the disk.
    func write(_ entry: Entry, status: Int, bytes: Int64, note: String? = nil) {
        let elapsed = entry.started.duration(to: ContinuousClock().now).components
        let milliseconds = elapsed.seconds * 1000 + elapsed.attoseconds / 1_000_000_000_000_000
        let fields = [
            DateText.rfc3339(systemContext.now()), entry.address, entry.tokenID ?? "-",
            printable(entry.method.utf8.prefix(20)), printable(entry.path.utf8.prefix(600)),
            String(status), String(bytes), "\(milliseconds)ms",
        ]
        sink((fields + (note.map { [printable($0.utf8)] } ?? [])).joined(separator: " "))
    }
}
