import ArgumentParser
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiText

/// `kv status`: how the store stands here.
struct KeyValueStatusCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show pending values and the last change, without contacting the remote.")

    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        let session = try await options.open(in: console)
        let status = try await session.values.status()
        if options.report.json {
            try console.output.json(status.json(options))
        } else {
            for line in status.text(options) { try console.output.line(line) }
        }
        return .done
    }
}

extension StoreStatus {
    fileprivate func json(_ options: KeyValueOptions) -> JSONObject {
        var object: JSONObject = ["type": "status"]
        object.add("store", options.store)
        object.add("keys", usage.keys)
        object.add("bytes", usage.bytes)
        object.add("pending", .array(pending.map { $0.jsonValue(options) }))
        object.add("off", isOff)
        object.add("sequence", sequence)
        object.add("token", token.description)
        if let last {
            object.add("changed", last.time)
            object.add("reason", last.reason.rawValue)
            object.add("changed_keys", .array(last.keys.map { $0.jsonValue(options) }))
        }
        return object
    }

    fileprivate func text(_ options: KeyValueOptions) -> [String] {
        var table = TextTable()
        table.add("store", options.store + (isOff ? ", off" : ""))
        table.add("keys", "\(usage.keys), \(SizeText.text(Int64(usage.bytes)))")
        table.add("waiting here", String(pending.count))
        table.add("commit", sequence == 0 ? "none seen" : String(sequence))
        if let last {
            table.add("last change", TimeText.local(last.time) + ", " + last.reason.rawValue)
            table.add("its keys", last.keys.prefix(10).map(\.description).joined(separator: " "))
        }
        table.add("token", token.description)
        return table.lines
    }
}
