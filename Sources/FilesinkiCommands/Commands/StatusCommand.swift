import ArgumentParser
import FilesinkiEngine
import FilesinkiModel

/// `status`: how a replica stands.
struct StatusCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the last success, what waits, and open conflicts.",
        discussion: """
            Nothing is scanned and nobody is asked. Exits with 3 when conflicts are open, and with \
            1 when the last success is older than --max-age. With --prometheus, open conflicts are a \
            number among others, and the exit code is 0 or 1.
            """)

    @Argument(help: "A folder that is or lies in the replica.", completion: .directory)
    var dir: String?

    @Option(
        name: .long,
        help: ArgumentHelp("How old the last success may be, as 2h.", valueName: "time"))
    var maxAge: String?

    @Flag(name: .long, help: "Print what Prometheus' textfile collector reads.")
    var prometheus = false

    @Option(name: .shortAndLong, help: "The file to write, whole or not at all.")
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
            let now = console.surroundings.now()
            return status.isStale(at: now, maximumAge: limit) ? .negative : .done
        }
        let isStale = status.isStale(at: console.surroundings.now(), maximumAge: limit)
        let code: ExitCode = isStale ? .negative : status.conflicts > 0 ? .conflict : .done
        if report.json {
            try console.output.json(status.json(isStale: isStale, exit: code))
        } else {
            for line in status.text(isStale: isStale) { try console.output.line(line) }
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
        object.add("pending", .array(pending.map(\.jsonValue)))
        object.add("incoming", .array(incoming.map(\.jsonValue)))
        object.add("conflicts", conflicts)
        return object
    }

    func text(isStale: Bool) -> [String] {
        var table = TextTable()
        table.add("root", printable(root.utf8))
        table.add("device", printable(device.name.utf8))
        table.add("remote", remote.map { printable($0.utf8) } ?? "none")
        table.add("commit", token.map { String($0.sequence) } ?? "none seen")
        table.add(
            "last success",
            (lastSuccess.map { TimeText.local($0) } ?? "never") + (isStale ? ", stale" : ""))
        if let lastFailure { table.add("last failure", lastFailure) }
        table.add("paths", String(paths))
        table.add("waiting here", String(pending.count))
        table.add("waiting there", String(incoming.count))
        table.add("open conflicts", String(conflicts))
        return table.lines
    }
}
