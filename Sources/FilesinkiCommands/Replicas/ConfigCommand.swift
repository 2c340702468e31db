import ArgumentParser
import FilesinkiModel
import FilesinkiRules
import FilesinkiText

/// `config`: the settings of a replica or a device, by name.
struct ConfigCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show and change settings.",
        discussion: """
            Works on the synced .filesinki.toml of the replica, which holds for all devices. This \
            device's own file overrides it, and a replica's own file overrides both.
            """,
        subcommands: [
            ConfigGetCommand.self, ConfigSetCommand.self, ConfigUnsetCommand.self,
            ConfigListCommand.self,
        ])

    func run(in console: Console) async throws -> ExitCode { throw CleanExit.helpRequest(self) }
}

/// `config get`.
struct ConfigGetCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print the value of a setting. Exits with 1 if it is not set.",
        discussion: """
            The name of a rule, such as rule.1, prints all its settings; rule those of all rules. \
            Rules are numbered in the order of the file.
            """)

    @Argument(
        help: "The setting, such as on-delete or rule.1.match.", completion: SettingKey.completion)
    var key: String

    @Flag(name: .long, help: "Print the default if the setting is not set.")
    var defaults = false

    @OptionGroup var options: ConfigOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        let place = try await options.place(in: console)
        let key = try ConfigOptions.key(key)
        let found = try place.read(in: console).entries(of: key)
            .map { ShownSetting($0, in: place.path) }
        if found.isEmpty {
            guard defaults, let known = SettingKey(key) else {
                throw Failure.notSet(key, in: place.path)
            }
            try show(ShownSetting(known), in: console)
        } else if found.count == 1, let only = found.first, only.key == key {
            try show(only, in: console)
        } else {
            for setting in found { try setting.showInList(options, in: console) }
        }
        return .done
    }

    private func show(_ setting: ShownSetting, in console: Console) throws {
        if options.report.json { return try console.output.json(setting.json) }
        let text = setting.plainText
        // Text of another device must not move the cursor; a script gets it as it is.
        try console.output.line(console.terminals.output ? printable(text.utf8) : text)
    }
}

/// `config set`.
struct ConfigSetCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change a setting.",
        discussion: """
            Only the value changes: comments, order and quotes of the file stay. An unknown setting \
            or an invalid value exits with 2 and changes nothing. The next sync sends the synced file.
            """)

    @Argument(help: "The setting, such as on-delete.", completion: SettingKey.completion)
    var key: String

    @Argument(help: "The value: text, a number, true or false; without quotes.")
    var value: String

    @OptionGroup var options: ConfigOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        let place = try await options.place(in: console)
        let key = try ConfigOptions.key(key)
        let bytes = ArgumentText.bytes(of: value)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(
                .usage, path: bytes, "The value is not UTF-8.", remedy: "Write it in UTF-8.")
        }
        var isChanged = false
        let file = try place.update(in: console) { file throws(Failure) in
            let former = file.bytes
            try file.set(key, to: text)
            isChanged = file.bytes != former
        }
        for entry in try file.entries(of: key) {
            let setting = ShownSetting(entry, in: place.path)
            if options.report.json {
                var object = setting.json
                object.add("changed", isChanged)
                try console.output.json(object)
            }
            console.say(
                isChanged ? "\(setting.line) in \(printable(place.path.utf8))" : "Already set.")
        }
        return .done
    }
}

/// `config unset`.
struct ConfigUnsetCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "unset",
        abstract: "Remove a setting, so that its default holds.",
        usage: "filesinki config unset [<options>] <key>",
        discussion: "Comments in the file stay. Exits with 1 if the setting is not set.")

    @Argument(help: "The setting, such as on-delete.", completion: SettingKey.completion)
    var key: String

    @OptionGroup var options: ConfigOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        let place = try await options.place(in: console)
        let key = try ConfigOptions.key(key)
        var wasSet = false
        _ = try place.update(in: console) { file throws(Failure) in
            wasSet = try file.unset(key)
        }
        guard wasSet else { throw Failure.notSet(key, in: place.path) }
        if options.report.json {
            var object: JSONObject = ["type": "setting-removed"]
            object.add("key", TOMLWriter.key(key))
            object.add("file", place.path)
            try console.output.json(object)
        }
        console.say("Removed \(TOMLWriter.key(key)) from \(printable(place.path.utf8)).")
        return .done
    }
}

/// `config list`.
struct ConfigListCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print all settings, those of rules too.",
        usage: "filesinki config list [--defaults] [<options>]",
        discussion: "Exits with 2 if there is a mistake in the file, after printing the rest.")

    @Flag(name: .long, help: "Print the defaults of settings that are not set, too.")
    var defaults = false

    @OptionGroup var options: ConfigOptions

    var replica: RootOptions { options.replica }

    func run(in console: Console) async throws -> ExitCode {
        let place = try await options.place(in: console)
        let file = try place.read(in: console)
        for entry in file.entries {
            try ShownSetting(entry, in: place.path).showInList(options, in: console)
        }
        if defaults {
            for key in SettingKey.allCases
            where place.mayHave(key) && !file.entries.contains(where: { SettingKey($0.key) == key })
            {
                try ShownSetting(key).showInList(options, in: console)
            }
        }
        try console.show(file.mistakes)
        return file.mistakes.isEmpty ? .done : .usage
    }
}

/// A setting as people and programs see it.
struct ShownSetting {
    let key: [String]
    private let value: TOMLValue
    /// The file and line; nil for a default.
    private let place: (file: String, line: Int)?

    init(_ entry: TOMLEditor.Entry, in file: String) {
        key = entry.key
        value = entry.value
        place = (file, entry.line)
    }

    /// The default.
    init(_ known: SettingKey) {
        key = [known.rawValue]
        value = known.standard
        place = nil
    }

    /// The value without quotes.
    var plainText: String {
        if case .string(let text) = value { return text }
        return TOMLWriter.value(value) ?? value.kind
    }

    /// `key = value` as a file has it.
    var line: String {
        "\(TOMLWriter.key(key)) = \(TOMLWriter.value(value) ?? "(\(value.kind))")"
    }

    var json: JSONObject {
        var object: JSONObject = ["type": "setting"]
        object.add("key", TOMLWriter.key(key))
        object.add("value", jsonValue)
        object.add("default", place == nil)
        object.add("file", place?.file)
        object.add("line", place?.line)
        return object
    }

    private var jsonValue: JSONValue {
        switch value {
        case .boolean(let value): .bool(value)
        case .integer(let value): .integer(Int64(value))
        case .string(let text): .string(text)
        case .array, .table, .other: .null
        }
    }

    func showInList(_ options: ConfigOptions, in console: Console) throws {
        if options.report.json { return try console.output.json(json) }
        try console.output.line(place == nil ? line + "  # default" : line)
    }
}

extension Failure {
    fileprivate static func notSet(_ key: [String], in file: String) -> Failure {
        Failure(
            .notFound, path: file, "'\(printable(TOMLWriter.key(key).utf8))' is not set.",
            remedy: "filesinki config list --defaults shows all settings.")
    }
}
