import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiSystem
import FilesinkiText
import Glibc

/// `serve token`: the access tokens of a server.
struct ServeTokenCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Create, list or revoke access tokens.",
        subcommands: [
            ServeTokenMakeCommand.self, ServeTokenListCommand.self, ServeTokenRevokeCommand.self,
        ],
        defaultSubcommand: ServeTokenListCommand.self)

    func run(in console: Console) async throws -> ExitCode { throw CleanExit.helpRequest(self) }
}

/// The folder whose tokens are meant.
struct ServedFolder: ParsableArguments {
    @Argument(help: "The store's folder.", completion: .directory)
    var dir: String

    /// Hands the request to the part that has the server, and shows the answer.
    ///
    /// - Returns: `negative` when there are none.
    func ask(_ action: TokenRequest.Action, in console: Console) async throws -> ExitCode {
        let folder = try FilePlace.absoluteText(dir, in: console.currentFolder)
        try RootPlacement.checkServed(folder)
        let tokens = try await console.network.tokens(
            TokenRequest(folder: folder, action: action))
        try console.show(tokens, after: action)
        return tokens.isEmpty ? .negative : .done
    }
}

extension Console {
    /// Shows tokens: of one that was just made the token alone on standard output, ready for a pipe.
    fileprivate func show(_ tokens: [TokenNotice], after action: TokenRequest.Action) throws {
        if outputOptions.isJSON { return try tokens.forEach { try output.json($0.json) } }
        if let secret = tokens.first?.secret {
            say("This token is shown only once:")
            return try output.line(secret)
        }
        switch action {
        case .list: break
        case .make(let token):
            for made in tokens {
                let what = token.addsFingerprint ? " and the certificate's fingerprint" : ""
                let file = token.output.map { " to \(printable($0.utf8))" } ?? ""
                say("Wrote the token \(made.id)\(what)\(file).")
            }
            return
        case .revoke:
            for gone in tokens {
                say("Revoked the token \(gone.id) of \(printable(gone.name.utf8)).")
            }
            return
        }
        var table = TextTable()
        // For a person; a script reads rows.
        if outputColumns != nil { table.add("ID", "RIGHTS", "ZONES", "CREATED", "NAME") }
        for token in tokens {
            table.add(
                token.id, token.rights.joined(separator: ","),
                token.zones?.joined(separator: ",") ?? "*", TimeText.local(token.made),
                printable(token.name.utf8))
        }
        for line in table.lines { try output.line(line) }
    }
}

extension TokenNotice {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["type": "token"]
        object.add("id", id)
        object.add("name", name)
        object.add("rights", .array(rights.map { .string($0) }))
        object.add("zones", zones.map { .array($0.map { .string($0) }) } ?? .null)
        object.add("created", made)
        object.add("token", secret)
        return object
    }
}

/// `serve token make`.
struct ServeTokenMakeCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Create a token and print it. It is shown only once.",
        discussion: """
            The server stores only a hash of it. A running server accepts it at once; after the \
            first token is created, the server requires one.

            --zone limits the token, and may be repeated: a name, or the beginning of names and *, \
            as public-* for the public database of records. :read behind it leaves only this right \
            there, of several joined by +. The longest name that fits counts: --zone '*' --zone \
            'public-*:read' may read the public database, and change everything else.
            """)

    @OptionGroup var folder: ServedFolder

    @Argument(help: "A name for the token, e.g. its owner's.")
    var name: String

    @Option(
        name: .long,
        help: ArgumentHelp(
            "What it allows: read, append, prune, separated by commas.", valueName: "rights"))
    var rights = "read,append,prune"

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Limit the token to this zone; may be repeated.", valueName: "zone[:rights]"))
    var zone: [String] = []

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "Write the token to this new file, readable only by its owner.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(
        name: .long,
        help: "With -o: add the fingerprint of the server's self-signed certificate.")
    var selfSigned = false

    @Flag(
        name: .long,
        help: "Create the folder, or start a store in a folder that contains none.")
    var create = false

    @OptionGroup var report: ReportOptions

    func validate() throws {
        if selfSigned, output == nil { throw ValidationError("--self-signed needs -o FILE.") }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let rights = rights.split(separator: ",").map { String($0.filter { $0 != " " }) }
        var token = TokenRequest.Make(name: name, rights: rights, zones: zone)
        token.isCreating = create
        token.addsFingerprint = selfSigned
        token.output = try output.map { path throws(Failure) in
            try FilePlace.absoluteText(path, in: console.currentFolder)
        }
        if let output = token.output { try checkIsNew(output) }
        let others = await namesakes(in: console)
        let code = try await folder.ask(.make(token), in: console)
        if !others.isEmpty {
            console.say(
                "There is another token of this name (\(others.joined(separator: ", "))), which stays valid. "
                    + "Each is revoked by its id: filesinki serve token list \(ShellWord.quoted(folder.dir))."
            )
        }
        return code
    }

    /// The ids of the tokens that have the name already; none where they cannot be listed, as making one will say.
    private func namesakes(in console: Console) async -> [String] {
        guard let place = try? FilePlace.absoluteText(folder.dir, in: console.currentFolder),
            let tokens = try? await console.network.tokens(
                TokenRequest(folder: place, action: .list))
        else { return [] }
        return tokens.filter { $0.name == name }.map(\.id)
    }

    /// Refuses a file that holds something, such as a token: that one would stay valid, and nobody would have it.
    private func checkIsNew(_ file: String) throws(Failure) {
        guard let status = FileCall.status(Array(file.utf8)), status.st_size > 0 else { return }
        let dir = ShellWord.quoted(folder.dir)
        throw Failure(
            .exists, path: file, "The file exists; a token in it would stay valid.",
            remedy: "Name another file. To replace a token, end it with "
                + "filesinki serve token revoke \(dir) NAME, and remove the file.")
    }
}

/// `serve token list`.
struct ServeTokenListCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the tokens without their secrets.")

    @OptionGroup var folder: ServedFolder
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        return try await folder.ask(.list, in: console)
    }
}

/// `serve token revoke`.
struct ServeTokenRevokeCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a token. Exits with 1 if there is none, or more than one of this name.")

    @OptionGroup var folder: ServedFolder

    @Argument(
        help: "The token's id, or the beginning of it, or its name.",
        completion: Candidates.asked)
    var token: String

    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        do {
            return try await folder.ask(.revoke(token), in: console)
        } catch var failure as Failure
            where failure.code == .notFound && failure.path == Array(token.utf8)
        {
            failure.remedy =
                "See them, with their ids, with filesinki serve token list \(ShellWord.quoted(folder.dir))."
            throw failure
        }
    }
}
