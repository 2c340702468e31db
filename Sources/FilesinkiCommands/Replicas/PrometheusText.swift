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
            "Time of the last complete run, with or without conflicts; 0 if there was none.")
        add(
            "last_run_timestamp_seconds", Self.seconds(metrics.lastRun?.ended),
            "Time when the last run ended; 0 if there was none.")
        add("last_run_exit_code", "\(metrics.lastRun?.exitCode ?? 0)", "Exit code of the last run.")
        add(
            "last_run_sent_bytes", "\(metrics.lastRun?.sentBytes ?? 0)",
            "Bytes sent by the last run, as stored.")
        add(
            "last_run_received_bytes", "\(metrics.lastRun?.receivedBytes ?? 0)",
            "Bytes of files received by the last run.")
        add(
            "sequence", "\(status.token?.sequence ?? 0)",
            "Sequence number of the last known commit.")
        add("paths", "\(status.paths)", "Paths as of the last sync.")
        add("tree_bytes", "\(status.bytes)", "Bytes of the files at these paths.")
        add("pending_paths", "\(status.pending.count)", "Local changes not yet sent.")
        add("incoming_paths", "\(status.incoming.count)", "Remote changes not yet received.")
        add("open_conflicts", "\(status.conflicts.count)", "Open conflicts.")
        add(
            "withheld_paths", "\(status.withheld.count)",
            "Paths not sent until the user decides, as a rule ignored them before.")
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
