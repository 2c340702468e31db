import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiSystem
import FilesinkiText

/// What became of changes that were made here.
struct SendReport {
    /// What the exchange did; nil when there was none.
    var exchange: ExchangeReport?
    /// Why there was none; nil when there is no remote, or the store is off.
    var away: Failure?

    /// Whether the changes wait here.
    var isQueued: Bool { exchange == nil }
}

extension KeyValueSession {
    /// Publishes what waits here, if the remote answers.
    ///
    /// - Throws: What is wrong with the store; a remote that is away is no failure.
    func send(
        _ patience: PatienceOption, operation: String, in console: Console
    ) async throws -> SendReport {
        guard place.address != nil, try await !values.isOff() else { return SendReport() }
        var outputOptions = ExchangeOptions()
        outputOptions.operation = operation
        var backoff = Backoff.untilReached(
            limit: patience.wait ? try options.replica.waiting.limit() ?? 0 : 0)
        while true {
            do {
                return SendReport(exchange: try await values.exchange(outputOptions))
            } catch let failure as Failure where failure.code == .away || failure.code == .busy {
                if backoff.isOver { return SendReport(away: failure) }
                try await console.systemContext.sleep(backoff.next(after: failure))
            }
        }
    }

    /// The exit code of a change that is done when it waits here, unless the user wants more.
    func code(_ report: SendReport, _ patience: PatienceOption) -> ExitCode {
        guard patience.wait, report.isQueued else {
            return report.exchange?.isOver == true ? .limit : .done
        }
        return report.away == nil ? .negative : .away
    }

    /// Shows what came of changes.
    func show(
        _ report: SendReport, _ keys: [ValueKey], exit code: ExitCode, in console: Console
    ) throws {
        try console.show(report.exchange?.notices ?? [], type: "notice")
        try console.show(report.exchange?.problems ?? [])
        if console.outputOptions.isJSON {
            var object: JSONObject = ["type": "values"]
            object.add("exit", code.rawValue)
            object.add("store", options.store)
            object.add("keys", .array(keys.map { $0.jsonValue(options) }))
            object.add("queued", report.isQueued)
            object.add("sequence", report.exchange?.sequence ?? 0)
            object.add(
                "changed", .array((report.exchange?.changed ?? []).map { $0.jsonValue(options) }))
            if let away = report.away { object.add("away", .object(away.json(type: "failure"))) }
            try console.output.json(object)
        } else if let away = report.away {
            console.say("Saved here, not yet published. \(away)")
        } else {
            console.detail(report.isQueued ? "It is kept here." : "It is published.")
        }
        sayLimit(report.exchange, in: console)
    }

    /// Says that a merge has made more than the limits allow.
    func sayLimit(_ report: ExchangeReport?, in console: Console) {
        guard report?.isOver == true else { return }
        console.say(
            "The store holds more than its limits allow; filesinki kv quota shows how much.")
    }
}

extension Console {
    /// Shows what could not be used of the store, or written to it.
    func show(_ problems: [Failure], type: String = "problem") throws {
        for problem in problems {
            if outputOptions.isJSON {
                try output.json(problem.json(type: type))
            } else {
                complain(problem)
            }
        }
    }
}

extension ValueKey {
    /// The key as an element of a list, without the prefix: see ``RelativePath/jsonValue``.
    func jsonValue(_ options: KeyValueOptions) -> JSONValue {
        let name = options.name(self)
        if let text = String(validating: name, as: UTF8.self) { return .string(text) }
        var object: JSONObject = [:]
        object.add("key", bytes: name)
        return .object(object)
    }
}
