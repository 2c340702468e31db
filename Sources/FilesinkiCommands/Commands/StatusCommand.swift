import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// `status`: how a replica stands.
struct StatusCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the last sync, pending changes and open conflicts.",
        discussion: """
            Does not scan the folder or contact the remote. Exits with 3 when there are open \
            conflicts, and with 1 when the last successful sync is older than --max-age. With \
            --prometheus, the exit code is 0 or 1.
            """)

    @Argument(help: "The replica, or a folder in it.", completion: .directory)
    var dir: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Exit with 1 when the last success is older than this, e.g. 2h.", valueName: "time"))
    var maxAge: String?

    @Flag(name: .long, help: "Print metrics for Prometheus' textfile collector.")
    var prometheus = false

    @Option(name: .shortAndLong, help: "Write the metrics to this file, atomically.")
    var output: String?

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func validate() throws {
        if prometheus, report.json { throw ValidationError("Give --json or --prometheus.") }
        if output != nil, !prometheus {
            throw ValidationError("--output goes with --prometheus.")
        }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let limit = try maxAge.map { text throws(Failure) in try TimeText.length(text) }
        let session = try await Session.open(
            replica, of: dir, writable: false, remote: false, in: console)
        let status = try await session.replica.status()
        if prometheus {
            let text = PrometheusText(status, try await session.replica.metrics())
            try console.write(text.bytes, to: output)
            let now = console.systemContext.now()
            return status.isStale(at: now, maximumAge: limit) ? .negative : .done
        }
        let isStale = status.isStale(at: console.systemContext.now(), maximumAge: limit)
        let code: ExitCode = isStale ? .negative : status.conflicts.isEmpty ? .done : .conflict
        if report.json {
            try console.output.json(status.json(isStale: isStale, exit: code))
        } else {
            let text = StatusText(
                status, isStale: isStale, now: console.systemContext.now(),
                home: console.environment["HOME"])
            for line in text.lines { try console.output.line(line) }
        }
        return code
    }
}

extension StatusReport {
    /// Whether the last success is longer ago than `maximumAge` seconds, or never was.
    func isStale(at now: Timestamp, maximumAge: Int64?) -> Bool {
        guard let maximumAge else { return false }
        guard let lastSuccess else { return true }
        let (age, overflow) = now.seconds.subtractingReportingOverflow(lastSuccess.seconds)
        return overflow || age > maximumAge
    }

    func json(isStale: Bool, exit code: ExitCode) -> JSONObject {
        var object: JSONObject = ["type": "status"]
        object.add("exit", code.rawValue)
        object.add("root", root)
        object.add("device", device.name)
        object.add("device_id", hexadecimal(device.id))
        object.add("remote", remote)
        object.add("store", store.isEmpty ? nil : hexadecimal(store))
        object.add("sequence", token?.sequence ?? 0)
        object.add("last_success", lastSuccess)
        object.add("last_failure", lastFailure)
        object.add("stale", isStale)
        object.add("paths", paths)
        object.add("files", files)
        object.add("bytes", bytes)
        object.add("pending", .array(pending.map(\.jsonValue)))
        object.add("incoming", .array(incoming.map(\.jsonValue)))
        object.add("conflicts", conflicts.count)
        return object
    }
}
