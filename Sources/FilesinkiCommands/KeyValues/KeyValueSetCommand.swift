import ArgumentParser
import FilesinkiKeyValue
import FilesinkiModel

/// `kv set`: one value, or several at once.
struct KeyValueSetCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set values, durably, and publish them.",
        discussion: """
            KEY VALUE sets one, with - for what standard input holds; KEY=VALUE… sets several at \
            once: all or none. Exits with 0 when they are kept here and published, or wait for a \
            remote that is away; with 6, and nothing changed, when a limit would be broken.
            """)

    @Argument(help: "KEY VALUE, KEY -, or KEY=VALUE…")
    var arguments: [String]

    @Option(
        name: .long,
        help: "The type: string, int, double, bool, date, data (base 64), url or json.")
    var type = "string"

    @Option(
        name: .long,
        help: ArgumentHelp(
            "What becomes of changes on two devices: newest, max, min, sum or union.",
            valueName: "rule"))
    var merge: String?

    @Flag(
        name: .long,
        help: "Add to the number or the array that is there, in one step; the rule is sum or union."
    )
    var add = false

    @OptionGroup var patience: PatienceOption
    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        let changes = try changes(in: console)
        let session = try await options.open(in: console)
        if add {
            try await session.values.add(changes)
        } else {
            try await session.values.apply(changes)
        }
        let report = try await session.send(patience, operation: "kv set", in: console)
        let code = session.code(report, patience)
        try session.show(report, changes.map(\.key), exit: code, in: console)
        return code
    }

    private func changes(in console: Console) throws -> [ValueChange] {
        let type = try ValueTypeName(parsing: type)
        let policy = try merge.map { text throws(Failure) in try Self.policy(text) }
        return try pairs(in: console).map { name, bytes, isArgument in
            ValueChange(
                try options.key(name),
                try ValueText.parse(bytes, as: type, isArgument: isArgument), policy: policy)
        }
    }

    private func pairs(in console: Console) throws -> [(String, [UInt8], isArgument: Bool)] {
        if arguments.count == 2, !arguments[0].contains("=") {
            guard arguments[1] == "-" else {
                return [(arguments[0], ArgumentText.bytes(of: arguments[1]), true)]
            }
            let input = try InputFile(nil, in: console).readAll(limit: 64 << 20)
            return [(arguments[0], input, false)]
        }
        return try arguments.map { argument in
            guard let cut = argument.firstIndex(of: "=") else {
                throw Failure(
                    .usage, path: ArgumentText.bytes(of: argument), "This key has no value.",
                    remedy: "Write KEY VALUE, or KEY=VALUE for each of several.")
            }
            let value = ArgumentText.bytes(of: String(argument[argument.index(after: cut)...]))
            return (String(argument[..<cut]), value, true)
        }
    }

    static func policy(_ text: String) throws(Failure) -> MergePolicy {
        guard let policy = MergePolicy(name: text) else {
            let names = MergePolicy.allCases.map(\.name).joined(separator: ", ")
            throw Failure(
                .usage, path: text, "This is no rule for a key.", remedy: "Use \(names).")
        }
        return policy
    }
}
