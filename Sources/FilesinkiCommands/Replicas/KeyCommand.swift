import ArgumentParser
import FilesinkiEncryption
import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// `key`: the passphrases and key files that open an encrypted store.
struct KeyCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Show, add, change or remove the keys of an encrypted store.",
        discussion: """
            Each passphrase or key file that opens the store has a key object in it. All of them \
            hold the same key of the store, so that none of its contents is uploaded again. A \
            device that has once opened the store may still know that key after its passphrase \
            was removed; to exclude it, create a new encrypted store.

            This replica keeps the key and needs no passphrase for any of these commands.
            """,
        subcommands: [
            KeyListCommand.self, KeyAddCommand.self, KeyChangeCommand.self, KeyRemoveCommand.self,
        ],
        defaultSubcommand: KeyListCommand.self)

    func run(in console: Console) async throws -> ExitCode { throw CleanExit.helpRequest(self) }
}

/// `key list`.
struct KeyListCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the keys that open the store.")

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: false, in: console)
        let keys = try await session.replica.keys()
        if report.json {
            for key in keys { try console.output.json(key.json(type: "key")) }
        } else {
            var table = TextTable()
            for key in keys {
                table.add(
                    String(key.id.prefix(8)), key.kind.words,
                    "added by \(printable(key.name.utf8))",
                    TimeText.local(key.created))
            }
            for line in table.lines { try console.output.line(line) }
        }
        return keys.isEmpty ? .negative : .done
    }
}

/// `key add`.
struct KeyAddCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Let another passphrase or key file open the store.",
        discussion: """
            For example: filesinki key add --passphrase-file ~/backup.pass
            Without an option or FILESINKI_PASSPHRASE, the passphrase is asked for.
            """)

    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: true, in: console)
        let id = try await session.replica.addKey(passphrase.newSecret(in: console))
        try console.showKey("key-added", id, "Added key \(id.prefix(8)).")
        return .done
    }
}

/// `key change`.
struct KeyChangeCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "change",
        abstract: "Replace a passphrase or key file by another one.",
        discussion: "Adds the new key, then removes the old one.")

    @Argument(help: "The beginning of the old key's id; the only key if omitted.")
    var id: String?

    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: true, in: console)
        let secret = try passphrase.newSecret(in: console)
        let (old, new) = try await session.replica.replaceKey(id ?? "", by: secret)
        try console.showKey(
            "key-changed", new, "Replaced key \(old.prefix(8)) by \(new.prefix(8)).")
        return .done
    }
}

/// `key remove`.
struct KeyRemoveCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a key, so that its passphrase no longer opens the store.")

    @Argument(help: "The beginning of the key's id.")
    var id: String

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: true, in: console)
        let key = try await session.replica.removeKey(id)
        try console.showKey("key-removed", key.id, "Removed key \(key.id.prefix(8)).")
        return .done
    }
}

extension PassphraseOptions {
    /// The secret of a new key.
    ///
    /// - Throws: `Failure` with code `usage` if none was given, and there is no terminal to ask at.
    fileprivate func newSecret(in console: Console) throws -> KeySecret {
        if let secret = try secret(isNew: true, in: console) { return secret }
        throw Failure(
            .usage, "No new passphrase was given.",
            remedy:
                "Give it with --passphrase-file FILE or FILESINKI_PASSPHRASE, or use --key-file FILE."
        )
    }
}

extension Console {
    fileprivate func showKey(_ type: String, _ id: String, _ text: String) throws {
        if outputOptions.isJSON {
            var object: JSONObject = ["type": .string(type)]
            object.add("id", id)
            try output.json(object)
        }
        say(text)
    }
}

extension KeySecret.Kind {
    fileprivate var words: String { self == .passphrase ? "passphrase" : "key file" }
}

extension KeyObject {
    fileprivate func json(type: String) -> JSONObject {
        var object: JSONObject = ["type": .string(type)]
        object.add("id", id)
        object.add("secret", kind.rawValue)
        object.add("device", name)
        object.add("time", created)
        return object
    }
}
