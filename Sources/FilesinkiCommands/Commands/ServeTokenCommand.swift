import ArgumentParser
import FilesinkiModel

/// `serve token`: who may come in.
struct ServeTokenCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make, list or revoke the tokens that let others in.",
        subcommands: [
            ServeTokenMakeCommand.self, ServeTokenListCommand.self, ServeTokenRevokeCommand.self,
        ],
        defaultSubcommand: ServeTokenListCommand.self)

    func run(in console: Console) async throws -> ExitCode { throw CleanExit.helpRequest(self) }
}

/// The folder whose tokens are meant.
struct ServedFolder: ParsableArguments {
    @Argument(help: "The folder with the store.", completion: .directory)
    var dir: String

    /// Hands the request to the part that has the server.
    func ask(_ action: TokenRequest.Action, in console: Console) async throws -> ExitCode {
        let folder = try FilePlace.absoluteText(dir, in: console.currentFolder)
        try await console.network.tokens(TokenRequest(folder: folder, action: action), console)
        return .done
    }
}

/// `serve token make`.
struct ServeTokenMakeCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Make a token, and print it: it is shown only this once.",
        discussion: "The server keeps a hash of it, and notices it while it runs.")

    @OptionGroup var folder: ServedFolder

    @Argument(help: "A name for people: whose it is.")
    var name: String

    @Option(
        name: .long,
        help: ArgumentHelp(
            "What it allows: read, append, prune, separated by commas.", valueName: "rights"))
    var rights = "read,append,prune"

    @Option(
        name: .long, help: ArgumentHelp("Only this zone; may be repeated.", valueName: "zone"))
    var zone: [String] = []

    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let rights = rights.split(separator: ",").map { String($0.filter { $0 != " " }) }
        return try await folder.ask(.make(name: name, rights: rights, zones: zone), in: console)
    }
}

/// `serve token list`.
struct ServeTokenListCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the tokens, without what they say.")

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
        commandName: "revoke", abstract: "Take a token back: it lets nobody in any more.")

    @OptionGroup var folder: ServedFolder

    @Argument(help: "The token's id, as the list shows it.")
    var id: String

    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        return try await folder.ask(.revoke(id: id), in: console)
    }
}
