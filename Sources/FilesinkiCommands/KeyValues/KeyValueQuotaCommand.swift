import ArgumentParser
import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiText

/// `kv quota`: the limits.
struct KeyValueQuotaCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "quota",
        abstract: "Show usage and show or set limits.",
        discussion: """
            Limits apply to this device. Exits with 6 if the store exceeds one, as it may after a \
            merge.
            """)

    @Option(name: .long, help: ArgumentHelp("Maximum number of keys.", valueName: "number"))
    var maxKeys: Int?

    @Option(
        name: .long,
        help: ArgumentHelp("Maximum size of all values together, e.g. 4Mi.", valueName: "size"))
    var maxTotal: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Maximum size of one value, up to 32Mi.", valueName: "size"))
    var maxValue: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Maximum length of a key in bytes, up to \(ValueKey.maximumLength).", valueName: "bytes"
        ))
    var maxKey: Int?

    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func validate() throws {
        guard [maxKeys, maxKey].allSatisfy({ $0 ?? 1 > 0 }) else {
            throw ValidationError("A limit must be greater than 0.")
        }
        guard maxKey ?? 1 <= ValueKey.maximumLength else {
            throw ValidationError("--max-key must be at most \(ValueKey.maximumLength).")
        }
    }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        let session = try await options.open(in: console)
        var limits = try await session.values.limits()
        let former = limits
        if let maxKeys { limits.keys = maxKeys }
        if let maxKey { limits.key = maxKey }
        if let maxTotal { limits.bytes = Int(clamping: try SizeText.bytes(of: maxTotal)) }
        if let maxValue { limits.value = try valueLimit(maxValue) }
        if limits != former { try await session.values.set(limits) }
        let usage = try await session.values.usage()
        try show(usage, limits, in: console)
        return usage.isOver(limits) ? .limit : .done
    }

    private func valueLimit(_ text: String) throws -> Int {
        let bytes = try SizeText.bytes(of: text)
        guard bytes <= Limits.maximumValue else {
            throw Failure(
                .usage, path: text, "A value cannot be larger than 32Mi.",
                remedy: "Keep larger contents in a file.")
        }
        return Int(bytes)
    }

    private func show(_ usage: Usage, _ limits: Limits, in console: Console) throws {
        if options.report.json {
            var object: JSONObject = ["type": "quota"]
            object.add(storeOf: options)
            object.add("keys", usage.keys)
            object.add("max_keys", limits.keys)
            object.add("bytes", usage.bytes)
            object.add("max_bytes", limits.bytes)
            object.add("max_value_bytes", limits.value)
            object.add("max_key_bytes", limits.key)
            object.add("over", usage.isOver(limits))
            return try console.output.json(object)
        }
        var table = TextTable()
        table.add("keys", "\(usage.keys) of \(limits.keys)")
        table.add("bytes", "\(usage.bytes) of \(limits.bytes)")
        table.add("bytes of one value", "at most \(limits.value)")
        table.add("bytes of a key", "at most \(limits.key)")
        for line in table.lines { try console.output.line(line) }
    }
}
