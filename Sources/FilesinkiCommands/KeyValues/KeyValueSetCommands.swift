import ArgumentParser
import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiModel

/// `kv set`: one value, or several at once.
struct KeyValueSetCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set values durably and publish them.",
        discussion: """
            KEY VALUE sets one key, or with - from standard input; KEY=VALUE… sets several, all or \
            none. KEY --merge RULE sets only the rule. The rule exec:COMMAND applies to this \
            device only. Without --type a key keeps the type of its value; that of a new key is \
            string, and with --add int or double. Exits with 0 if the values are stored here and published, or kept until \
            the remote is available; with 6, and no change, if a limit would be exceeded.
            """)

    @Argument(
        help: "KEY VALUE, KEY -, KEY=VALUE…, or KEY with --merge.", completion: Candidates.asked)
    var arguments: [String]

    @Option(
        name: .long,
        help: """
            The type: string, int, double, bool, date, data (base 64), url or json; that of the \
            present value if omitted.
            """)
    var type: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How to merge changes of two devices: newest, max, min, sum, union or exec:COMMAND.",
            valueName: "rule"))
    var merge: String?

    @Flag(
        name: .long,
        help: "Add to the current number or array in one step; the rule is sum or union."
    )
    var add = false

    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        if let rule = try rule(), arguments.count == 1, !arguments[0].contains("=") {
            return try await setRule(rule, in: console)
        }
        return try await set(try values(in: console), in: console)
    }

    /// Sets keys to values, of which nil removes the key: all or none.
    func set(
        _ values: [(key: ValueKey, value: GivenValue)], in console: Console
    ) async throws -> ExitCode {
        let rule = try rule()
        let isAddend = add
        let session = try await options.open(in: console)
        try await session.values.update { read in
            try values.map { key, given in
                let present = try read(key)
                let value = try given.value(over: present, of: key, isAddend: isAddend)
                let change = ValueChange(key, value, policy: rule?.policy, command: rule?.command)
                return isAddend ? try change.added(to: present) : change
            }
        }
        let code = try await publish(values.map(\.key), session, in: console)
        if !add { try await session.sayKept(values, in: console) }
        return code
    }

    /// Sets the rule of a key, whose value stays as it is.
    private func setRule(_ rule: ValueRule, in console: Console) async throws -> ExitCode {
        let key = try options.key(arguments[0])
        let session = try await options.open(in: console)
        try await session.values.update { read in
            let value = try read(key)
            guard value != nil || rule.policy == nil else {
                throw Failure(
                    .usage, path: key.bytes, "The key has no value, so it cannot have a rule.",
                    remedy: "Set its value with the rule: kv set KEY VALUE --merge RULE.")
            }
            return [ValueChange(key, value, policy: rule.policy, command: rule.command)]
        }
        return try await publish([key], session, in: console)
    }

    private func publish(
        _ keys: [ValueKey], _ session: KeyValueSession, in console: Console
    ) async throws -> ExitCode {
        let report = try await session.send(publishWait, operation: "kv set", in: console)
        let code = report.code(publishWait)
        try session.show(report, keys, exit: code, in: console)
        return code
    }

    private func rule() throws(Failure) -> ValueRule? {
        try merge.map { text throws(Failure) in try ValueRule(parsing: text) }
    }

    private func values(
        in console: Console
    ) throws -> [(key: ValueKey, value: GivenValue)] {
        let type = try type.map { text throws(Failure) in try ValueTypeName(parsing: text) }
        return try pairs(in: console).map { name, bytes, isArgument in
            let key = try options.key(name)
            guard let type else { return (key, .text(bytes, isArgument: isArgument)) }
            return (key, .typed(try ValueText.parse(bytes, as: type, isArgument: isArgument)))
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
                    .usage, path: ArgumentText.bytes(of: argument),
                    "No VALUE was given for this key.",
                    remedy: "Write KEY VALUE, or KEY=VALUE for each of several.")
            }
            let value = ArgumentText.bytes(of: String(argument[argument.index(after: cut)...]))
            return (String(argument[..<cut]), value, true)
        }
    }
}

/// How the changes of a key are merged, as a user names it.
struct ValueRule {
    /// The rule that is published with the value; nil to keep it.
    var policy: MergePolicy?
    /// The command that merges on this device; empty for none.
    var command = ""

    /// - Throws: `Failure` with code `usage` for any other word.
    init(parsing text: String) throws(Failure) {
        let prefix = "exec:"
        if text.hasPrefix(prefix), text != prefix {
            command = String(text.dropFirst(prefix.count))
            return
        }
        guard let found = MergePolicy(name: text) else {
            let names = MergePolicy.allCases.map(\.name).joined(separator: ", ")
            throw Failure(
                .usage, path: ArgumentText.bytes(of: text), "Invalid merge rule.",
                remedy: "Use \(names) or exec:COMMAND.")
        }
        policy = found
    }
}

/// `kv unset`: no value any more.
struct KeyValueUnsetCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "unset",
        abstract: "Remove keys on all devices.",
        discussion: "Removes several at once. Exits with 1 if none of them had a value.",
        aliases: ["delete", "rm", "remove"])

    @Argument(help: "The keys.", completion: Candidates.asked)
    var keys: [String]

    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var options: KeyValueOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        options.report.apply(to: console)
        let keys = try keys.map { text throws(Failure) in try options.key(text) }
        let session = try await options.open(in: console)
        let removed = try await session.values.apply(keys.map { ValueChange($0, nil) })
        let report = try await session.send(publishWait, operation: "kv unset", in: console)
        var code = report.code(publishWait)
        if code == .done, removed.isEmpty { code = .negative }
        try session.show(
            report, removed, exit: code, nothing: "None of the keys has a value.", in: console)
        return code
    }
}
