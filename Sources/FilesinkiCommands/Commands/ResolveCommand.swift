import ArgumentParser
import FilesinkiEngine
import FilesinkiModel

/// `resolve`: ends conflicts.
struct ResolveCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "End a conflict: the content chosen gets the name, the copy goes.",
        discussion: "What is not chosen stays in the history: see filesinki log.")

    @Argument(help: "Whose conflict.", completion: .file())
    var paths: [String] = []

    @Flag(name: .long, help: "All open conflicts.")
    var all = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "here (this replica's), there (the committed one), base, or a version.",
            valueName: "side"))
    var take: String?

    @Option(
        name: .long,
        help: ArgumentHelp("A file with the content; - for standard input.", valueName: "file"),
        completion: .file())
    var with: String?

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    /// The largest content that is taken from a file, in bytes.
    private static let limit = 1 << 30

    func validate() throws {
        if paths.isEmpty != all { throw ValidationError("Name paths, or give --all.") }
        if (take == nil) == (with == nil) { throw ValidationError("Give either --take or --with.") }
        if with != nil, all || paths.count > 1 {
            throw ValidationError("--with is for one path.")
        }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let resolution = try resolution(in: console)
        let session = try await Session.open(replica, writable: true, in: console)
        var targets = try paths.map { try session.path($0) }
        if all {
            // In order, and each once: a path may have more than one open conflict.
            targets = Set(try await session.replica.conflicts().map(\.path)).sorted()
        }
        var code = ExitCode.done
        for path in targets {
            let result = try await session.replica.resolve(path, resolution, SyncOptions())
            let one = ExitCode(queueing: result, isWaiting: false)
            try console.show(result, exit: one)
            if one != .done { code = one }
        }
        if targets.isEmpty { console.say("There is no open conflict.") }
        return code
    }

    private func resolution(in console: Console) throws -> Resolution {
        if let with {
            return .bytes(try InputFile(with, in: console).readAll(limit: Self.limit))
        }
        switch take {
        case "here": return .here
        case "there": return .there
        case "base": return .base
        case let text:
            guard let version = text.flatMap({ UInt64($0) }) else {
                throw Failure(
                    .usage, path: text ?? "", "This is no side of a conflict.",
                    remedy: "Take here, there, base, or the number of a version.")
            }
            return .version(version)
        }
    }
}
