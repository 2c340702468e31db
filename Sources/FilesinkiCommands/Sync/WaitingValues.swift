import FilesinkiEngine
import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiText

/// The values that `kv set` kept here while the remote was away: a `sync` of everything sends them, too.
extension Session {
    /// Sends the values that wait here. Costs no request if none does.
    ///
    /// - Parameter code: How the run before ended; nothing is sent unless it reached the remote.
    /// - Returns: How both ended.
    func sendValues(after code: ExitCode) async throws -> ExitCode {
        guard [.done, .conflict, .partial].contains(code) else { return code }
        let waiting = try waitingValues()
        try console.show(try await leftItems().notices(besides: waiting), type: "notice")
        guard !waiting.isEmpty else { return code }
        // A device id that is renewed needs the lock of the replica.
        await replica.close()
        var worst = code
        for zone in waiting { worst = worst.worse(try await send(zone)) }
        return worst
    }

    /// The zones of values that a sync of everything sends.
    func waitingValues() throws -> [PendingZone] {
        try LocalZones<ValueKind>.pending(state: settings.stateFolder.path).filter { !$0.isOff }
    }

    /// Sends the values of a zone. What fails as the remote is away is said, and tried again by the next sync.
    func send(_ pending: PendingZone) async throws -> ExitCode {
        let zone = try await console.itemZone(
            pending.name, of: ValueKind.self, in: pending.scope, settings)
        do {
            let report = try await console.withProgress { line in
                var options = ExchangeOptions()
                options.operation = "sync"
                options.show(on: line)
                return try await zone.exchange(options)
            }
            return try console.showSent(report, zone.place)
        } catch let failure as Failure where failure.code == .away || failure.code == .busy {
            try console.report(failure)
            console.say(
                "\(CountText.text(pending.count, "value")) not sent: the next filesinki sync sends them."
            )
            return .away
        }
    }
}

extension Console {
    fileprivate func showSent(
        _ report: ExchangeReport, _ place: KeyValuePlace
    ) throws -> ExitCode {
        let code: ExitCode =
            report.isOver ? .limit : report.problems.isEmpty ? .done : .partial
        try showProblems(of: report)
        if outputOptions.isJSON {
            var object = report.json(code, zone: ("store", place.name)) { $0.jsonValue }
            object.add("db", place.scope == .private ? nil : place.scope.description)
            object.add("over", report.isOver)
            try output.json(object)
        }
        saySuperseded(report, place)
        let received = report.changed.count
        let also = received > 0 ? ", received \(CountText.text(received))" : ""
        say("Sent \(CountText.text(report.published.count, "value"))\(also).")
        sayLimit(report)
        return code
    }
}
