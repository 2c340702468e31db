import FilesinkiModel
import Synchronization

/// What the server counts, and its text for Prometheus:
/// https://prometheus.io/docs/instrumenting/exposition_formats/
final class ServerMetrics: Sendable {
    private struct Answer: Hashable {
        var method: String
        var status: Int
    }

    private struct State {
        var answers: [Answer: Int] = [:]
        var received = 0
        var sent = 0
        var won = 0
        var lost = 0
    }

    private let state = Mutex(State())
    private let begun: Timestamp

    /// Methods that are counted by their names; what clients make up is `other`.
    private static let methods: Set<String> = ["GET", "HEAD", "PUT", "POST", "DELETE"]

    init(begun: Timestamp) { self.begun = begun }

    func answered(_ method: String, _ status: Int) {
        let method = Self.methods.contains(method) ? method : "other"
        state.withLock { $0.answers[Answer(method: method, status: status), default: 0] += 1 }
    }

    func received(_ bytes: Int) { state.withLock { $0.received &+= bytes } }

    func sent(_ bytes: Int) { state.withLock { $0.sent &+= bytes } }

    func published(won: Bool) {
        state.withLock { state in
            if won { state.won += 1 } else { state.lost += 1 }
        }
    }

    /// - Parameters:
    ///   - watchers: How many watch now.
    ///   - used: The bytes in the folder; nil when nobody counts them.
    ///   - quota: The bound of them.
    func text(watchers: Int, used: Int64?, quota: Int64?, now: Timestamp) -> String {
        let state = state.withLock { $0 }
        var lines = Self.family("filesinki_requests_total", "counter", "Requests answered.")
        let answers = state.answers.sorted {
            ($0.key.method, $0.key.status) < ($1.key.method, $1.key.status)
        }
        for (answer, count) in answers {
            lines.append(
                "filesinki_requests_total{method=\"\(answer.method)\",status=\"\(answer.status)\"}"
                    + " \(count)")
        }
        lines += Self.single(
            "filesinki_received_bytes_total", "counter", "Bytes of bodies taken.", state.received)
        lines += Self.single(
            "filesinki_sent_bytes_total", "counter", "Bytes of bodies sent.", state.sent)
        lines += Self.family(
            "filesinki_publications_total", "counter", "Publications, by who won the slot.")
        lines.append("filesinki_publications_total{outcome=\"won\"} \(state.won)")
        lines.append("filesinki_publications_total{outcome=\"lost\"} \(state.lost)")
        lines += Self.single("filesinki_watchers", "gauge", "Streams of notices.", watchers)
        if let used, let quota {
            lines += Self.single("filesinki_used_bytes", "gauge", "Bytes in the folder.", used)
            lines += Self.single("filesinki_quota_bytes", "gauge", "The bound of them.", quota)
        }
        lines += Self.single(
            "filesinki_uptime_seconds", "gauge", "Since the server began.",
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
