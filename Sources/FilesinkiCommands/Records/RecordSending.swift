import FilesinkiItems
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRecords
import FilesinkiText

/// Applies operations of a command, publishes them, and shows what came of them.
struct RecordSending {
    let zone: RecordZone
    let options: RecordOptions
    let publishWait: PublishWaitOption

    /// What came of the operations after the exchange.
    struct Outcome {
        var results: [RecordResult]
        var report: SendReport<RecordState>
        /// Saves that the exchange refused.
        var refused: [RecordName: RecordConflict]
    }

    /// - Parameter operations: Forgotten when they are applied, before anything is sent: many take much memory.
    func apply(
        _ operations: consuming [RecordOperation], isAtomic: Bool = false,
        assets: [StagedAsset] = [],
        operation: String, in console: Console
    ) async throws -> Outcome {
        try await zone.checkAssets(of: operations, staged: assets)
        let results = try await zone.apply(
            consume operations, isAtomic: isAtomic, assets: assets)
        var outcome = Outcome(results: results, report: SendReport(), refused: [:])
        guard results.contains(where: { $0.error == nil }) else { return outcome }
        outcome.report = try await options.replica.send(
            zone, publishWait, operation: operation, in: console)
        try console.showProblems(of: outcome.report.exchange)
        outcome.refused = try await zone.conflicts(of: outcome.report.exchange)
        for index in results.indices where results[index].error == nil {
            outcome.results[index].tag = try await zone.record(results[index].name)?.tag
        }
        return outcome
    }

    /// Shows the result of a single operation.
    ///
    /// - Returns: The exit code.
    func show(_ outcome: Outcome, type: String, in console: Console) throws -> ExitCode {
        let result = outcome.results[0]
        if let conflict = result.error as? RecordConflict ?? outcome.refused[result.name] {
            try console.show(conflict, in: zone.place)
            return .conflict
        }
        if let error = result.error { throw error }
        let code = outcome.report.code(publishWait)
        if console.outputOptions.isJSON {
            var object = result.json
            object.add("type", type)
            object.add("exit", code.rawValue)
            object.add(zoneOf: options)
            outcome.report.describe(in: &object)
            try console.output.json(object)
        } else {
            console.sayUnpublished(outcome.report)
        }
        return code
    }
}

extension RecordResult {
    /// The name, and what happened to the record.
    var json: JSONObject {
        var object: JSONObject = ["name": .string(name.text)]
        object.add("created", isCreated)
        object.add("deleted", isDeleted)
        object.add("tag", tag?.description)
        if !cascade.isEmpty {
            object.add("cascade", .array(cascade.map { .string($0.text) }))
        }
        return object
    }
}
