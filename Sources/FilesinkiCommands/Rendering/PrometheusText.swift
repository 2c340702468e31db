import FilesinkiEngine
import FilesinkiModel

/// The state of a replica in the text format of Prometheus, for node_exporter's textfile collector:
/// https://prometheus.io/docs/instrumenting/exposition_formats/
struct PrometheusText {
    private var lines: [String] = []
    private let labels: String

    init(_ status: StatusReport, _ metrics: ReplicaMetrics) {
        labels = "{root=\"\(Self.escaped(status.root))\"}"
        add(
            "last_success_timestamp_seconds", Self.seconds(status.lastSuccess),
            "When a run last reached the remote and left nothing undone; 0 for never.")
        add(
            "last_run_timestamp_seconds", Self.seconds(metrics.lastRun?.ended),
            "When the last run ended; 0 for never.")
        add("last_run_exit_code", "\(metrics.lastRun?.exitCode ?? 0)", "How the last run ended.")
        add(
            "last_run_sent_bytes", "\(metrics.lastRun?.sentBytes ?? 0)",
            "Stored bytes that the last run sent.")
        add(
            "last_run_received_bytes", "\(metrics.lastRun?.receivedBytes ?? 0)",
            "Bytes of files that the last run received.")
        add("sequence", "\(status.token?.sequence ?? 0)", "The last commit that was seen.")
        add("paths", "\(status.paths)", "Paths that this replica and the remote agree on.")
        add("tree_bytes", "\(status.bytes)", "The bytes of their files.")
        add("pending_paths", "\(status.pending.count)", "Changes here that wait for the remote.")
        add("incoming_paths", "\(status.incoming.count)", "Changes there that wait for a run.")
        add("open_conflicts", "\(status.conflicts.count)", "Conflicts that wait for a person.")
    }

    /// UTF-8, ended by a newline.
    var bytes: [UInt8] { Array((lines.joined(separator: "\n") + "\n").utf8) }

    private mutating func add(_ name: String, _ value: String, _ help: String) {
        lines.append("# HELP filesinki_\(name) \(help)")
        lines.append("# TYPE filesinki_\(name) gauge")
        lines.append("filesinki_\(name)\(labels) \(value)")
    }

    private static func seconds(_ time: Timestamp?) -> String {
        guard let time else { return "0" }
        let digits = String(time.remainder / 1_000_000)
        return "\(time.seconds)." + String(repeating: "0", count: 3 - digits.count) + digits
    }

    /// A label's value: a backslash, a quote and a newline would end it or the line.
    static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.append(character)
            }
        }
    }
}
