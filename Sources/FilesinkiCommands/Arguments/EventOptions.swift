import ArgumentParser
import FilesinkiEngine
import FilesinkiModel

/// What `observe` and `changes` have in common.
struct EventOptions: ParsableArguments {
    @Argument(
        help: "A path, or FOLDER/ for everything in it; all paths if none is given.",
        completion: .file())
    var paths: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Start after this token; 0 is the beginning of the log.", valueName: "token"))
    var since: String?

    @Flag(name: .long, help: "Include changes published by this device.")
    var own = false

    @Flag(name: .long, help: "If the token has expired, print what differs since then.")
    var resync = false

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    /// Opens the replica once, to work out which it is and what the paths mean.
    ///
    /// - Throws: `Failure` with code `usage` for what is not understood.
    func prepare(
        in console: Console
    ) async throws -> (replica: ReplicaOptions, outputOptions: ObserverOptions) {
        report.apply(to: console)
        // There is no other form; a failure is a line, too.
        console.outputOptions.isJSON = true
        var outputOptions = ObserverOptions()
        if let since { outputOptions.start = try Self.start(since) }
        let session = try await Session.open(replica, writable: false, in: console)
        outputOptions.scope = try session.scope(paths)
        outputOptions.includesOwn = own
        outputOptions.resynchronises = resync
        await session.replica.close()
        let options = try replica.replicaOptions(root: session.root.path, in: console)
        return (options, outputOptions)
    }

    private static func start(_ text: String) throws(Failure) -> ObserverOptions.Start {
        if text == "0" { return .beginning }
        return .token(try EventToken(parsing: text))
    }
}

extension Session {
    /// What paths and prefixes name; everything when there is none, or one is the root.
    func scope(_ arguments: [String]) throws(Failure) -> EventScope {
        var parts: [EventScope.Part] = []
        for argument in arguments {
            guard let path = try root.path(argument, currentFolder: console.currentFolder) else {
                return .everything
            }
            parts.append(Self.namesFolder(argument) ? .inside(path) : .exactly(path))
        }
        return EventScope(parts)
    }

    /// Whether what a path names can only be a folder.
    private static func namesFolder(_ argument: String) -> Bool {
        let last =
            ArgumentText.bytes(of: argument)
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? []
        return [[], Array(".".utf8), Array("..".utf8)].contains(Array(last))
    }
}
