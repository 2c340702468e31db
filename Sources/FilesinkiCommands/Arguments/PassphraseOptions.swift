import ArgumentParser
import FilesinkiEncryption
import FilesinkiEngine
import FilesinkiModel
import FilesinkiSystem

/// Where the secret that opens an encrypted store comes from: an option, the environment, or the terminal. Never an
/// argument, which every user of the machine could read.
struct PassphraseOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "File with the passphrase of an encrypted store, readable only by its owner.",
            valueName: "file"),
        completion: .file())
    var passphraseFile: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Command that prints the passphrase of an encrypted store.", valueName: "command"))
    var passphraseCommand: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Key file of an encrypted store, in place of a passphrase.", valueName: "file"),
        completion: .file())
    var keyFile: String?

    func validate() throws {
        let given = [passphraseFile, passphraseCommand, keyFile].compactMap(\.self)
        guard given.count < 2 else {
            throw ValidationError(
                "Give one of --passphrase-file, --passphrase-command and --key-file.")
        }
    }
}

extension PassphraseOptions {
    private var isGiven: Bool { passphraseFile ?? passphraseCommand ?? keyFile != nil }

    /// The option that another device needs at a store that is encrypted by these, after a space.
    var ofOtherDevices: String { keyFile == nil ? " --passphrase-file FILE" : " --key-file FILE" }

    /// How the engine finds the secret.
    ///
    /// - Parameters:
    ///   - isEncrypting: Whether a new store is encrypted.
    ///   - mayDecrypt: Whether an encrypted store may be copied into one that is not.
    func keys(
        isEncrypting: Bool = false, mayDecrypt: Bool = false, in console: Console
    ) -> KeyOptions {
        KeyOptions(
            isEncrypting: isEncrypting, expectsEncryption: isGiven, mayDecrypt: mayDecrypt
        ) { isNew in
            try secret(isNew: isNew, in: console)
        }
    }

    /// Reads the secret, or asks for it.
    ///
    /// - Parameter isNew: Whether a new one is chosen: then the terminal asks twice.
    /// - Returns: Nil if none was given, and there is no terminal to ask at.
    func secret(isNew: Bool, in console: Console) throws -> KeySecret? {
        if let file = keyFile { return try readKeyFile(file, in: console) }
        if let file = passphraseFile {
            return try passphrase(
                SecretLine.read(file: FilePlace.absoluteText(file, in: console.currentFolder)))
        }
        if let command = passphraseCommand {
            return try passphrase(SecretLine.read(command: command))
        }
        let variable = { (name: String) in
            console.environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        if let text = variable("FILESINKI_PASSPHRASE") { return try passphrase(text) }
        if let file = variable("FILESINKI_PASSPHRASE_FILE") {
            return try passphrase(SecretLine.read(file: file))
        }
        if let command = variable("FILESINKI_PASSPHRASE_COMMAND") {
            return try passphrase(SecretLine.read(command: command))
        }
        if let file = variable("FILESINKI_KEY_FILE") { return try readKeyFile(file, in: console) }
        guard console.terminals.input, console.terminals.talk else { return nil }
        return try ask(isNew: isNew, in: console)
    }

    private func passphrase(_ text: String) throws(Failure) -> KeySecret {
        try KeySecret(.passphrase, Array(text.utf8))
    }

    private func readKeyFile(_ file: String, in console: Console) throws -> KeySecret {
        let path = try FilePlace.absoluteText(file, in: console.currentFolder)
        guard let bytes = try PrivateFile(path).read() else {
            throw Failure(
                .notAllowed, path: path, "The key file was not found.",
                remedy:
                    "Make one with: head -c 32 /dev/urandom > FILE; chmod 600 FILE. Keep a copy.")
        }
        return try KeySecret(.keyFile, bytes)
    }

    private func ask(isNew: Bool, in console: Console) throws -> KeySecret {
        let first = try console.askSecretly(
            isNew ? "Passphrase of the new encrypted store: " : "Passphrase of the store: ")
        guard isNew else { return try passphrase(first) }
        guard try console.askSecretly("The same again: ") == first else {
            throw Failure(
                .usage, "The passphrases differ.", remedy: "Run the command again.")
        }
        return try passphrase(first)
    }
}

extension Console {
    /// Asks for a line at the terminal that is not shown while it is typed.
    ///
    /// - Throws: `Failure` with code `usage` at the end of the input.
    fileprivate func askSecretly(_ question: String) throws -> String {
        // No progress is drawn over it.
        outputOptions.isAsking = true
        redrawTalk(question, over: 0, columns: 80)
        defer {
            ask("")
            outputOptions.isAsking = false
        }
        if let line = SecretLine.read(terminal: input) { return line }
        throw Failure(
            .usage, "No passphrase was typed.",
            remedy: "Run again, or give it with --passphrase-file FILE.")
    }
}
