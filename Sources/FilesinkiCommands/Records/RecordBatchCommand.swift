import ArgumentParser
import FilesinkiItems
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRecords
import FilesinkiText

/// `rec batch`: several operations.
struct RecordBatchCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Apply operations from a file, and print a result for each.",
        discussion: """
            Each line is JSON: {"op":"create","name":"a","type":"Note","fields":{"title":"x"}}. \
            Operations are create, update and replace with the record's tag, force-update, \
            force-replace and delete. With --atomic all are published in one commit, or none is \
            done. Exits with 5 if some failed, and with 3 if one of them is a conflict.
            """)

    @Argument(help: "A file with operations; standard input if omitted.")
    var file: String?

    @Flag(name: .long, help: "All or none.")
    var atomic = false

    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var options: RecordOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        let zone = try await options.open(in: console)
        let (operations, assets) = try await read(for: zone, in: console)
        let sending = RecordSending(zone: zone, options: options, publishWait: publishWait)
        let outcome = try await sending.apply(
            consume operations, isAtomic: atomic, assets: assets, operation: "rec batch",
            in: console)
        return try show(outcome, in: console)
    }

    /// Reads all operations: nothing is done if one cannot be read. The input is not kept.
    private func read(
        for zone: RecordZone, in console: Console
    ) async throws -> ([RecordOperation], [StagedAsset]) {
        let schema = try await zone.schema()
        let lines = try InputFile(file, in: console).readAll(limit: FieldReader.maximumLength)
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var operations: [RecordOperation] = []
        var assets: [StagedAsset] = []
        for (index, line) in lines.enumerated() where !line.allSatisfy(isBlank) {
            do {
                var reader = FieldReader(schema: schema, zone: zone, console: console)
                reader.isInputTaken = file == nil || file == "-"
                operations.append(try OperationLine(Array(line), schema).operation(&reader))
                assets += reader.assets
            } catch let failure as Failure {
                throw Failure(
                    failure.code, path: failure.path, "Line \(index + 1): \(failure.message)",
                    remedy: failure.remedy)
            }
        }
        return (operations, assets)
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }

    private func show(
        _ outcome: RecordSending.Outcome, in console: Console
    ) throws -> ExitCode {
        var code = outcome.report.code(publishWait)
        for (index, result) in outcome.results.enumerated() {
            let error = outcome.refused[result.name] ?? result.error
            var object = result.json
            object.add("op", index + 1)
            object.add("ok", error == nil)
            object.add("db", options.database.member)
            if let conflict = error as? RecordConflict {
                object.add("code", "conflict")
                object.add("conflict", .object(conflict.json))
                code = .conflict
            } else if let failure = error as? Failure {
                object.add(
                    "code", failure.code == .declined ? "batch-failed" : failure.code.description)
                object.add("message", failure.message)
                object.add("remedy", failure.remedy)
                if code != .conflict { code = .partial }
            }
            try console.output.json(object)
        }
        console.sayUnpublished(outcome.report)
        return code
    }
}

/// One line of a batch.
private struct OperationLine {
    private enum Verb: String, CaseIterable {
        case create, update, replace, delete
        case forceUpdate = "force-update"
        case forceReplace = "force-replace"
        case forceDelete = "force-delete"
    }

    private let verb: Verb
    private let input: RecordInput

    init(_ bytes: [UInt8], _ schema: Schema) throws(Failure) {
        let tree = try JSONTree(bytes)
        let op = tree.children.first { $0.name == Array("op".utf8) }
        let word = op.map { String(decoding: $0.text, as: UTF8.self) } ?? ""
        guard let verb = Verb(rawValue: word) else {
            throw Failure(
                .usage, path: word, "Unknown operation.",
                remedy: "Use \(Verb.allCases.map(\.rawValue).joined(separator: ", ")) as op.")
        }
        self.verb = verb
        input = try RecordInput(tree) { type, field in type.flatMap { schema[$0, field]?.type } }
    }

    func operation(_ reader: inout FieldReader) throws -> RecordOperation {
        guard let name = input.name else {
            throw Failure(
                .usage, "The operation has no name.", remedy: "Name the record with \"name\".")
        }
        if verb == .delete || verb == .forceDelete {
            var operation = RecordOperation.delete(name)
            if verb == .delete, let tag = input.tag { operation.require(tag: tag) }
            return operation
        }
        try reader.add(input)
        var operation = RecordOperation.save(name, input.type, reader.fields)
        switch verb {
        case .create: (operation.existence, operation.policy) = (.mustNotExist, .unchanged)
        case .update, .replace:
            guard let tag = input.tag else {
                throw Failure(
                    .usage, path: name.text, "The operation needs the record's tag.",
                    remedy: "Give the tag that rec get prints, or use force-\(verb.rawValue).")
            }
            operation.require(tag: tag)
            operation.existence = .mustExist
        case .forceUpdate: operation.policy = .changedKeys
        case .forceReplace: operation.policy = .allKeys
        case .delete, .forceDelete: break
        }
        operation.replacesAll = verb == .replace || verb == .forceReplace
        return operation
    }
}
