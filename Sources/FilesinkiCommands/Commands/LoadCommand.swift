import ArgumentParser
import FilesinkiEngine
import FilesinkiModel

/// `load`: the content of a path.
struct LoadCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Print the best content of a path, after a look at the remote.",
        discussion: """
            When the remote is away, what is here is printed and said on standard error. Exits with \
            1 when there is nothing at the path, and with 75 when that cannot be known.
            """)

    @Argument(help: "What to load.")
    var path: String

    @Option(name: .shortAndLong, help: "The file to write, whole or not at all.")
    var output: String?

    @Flag(name: .long, help: "Look only at what is here.")
    var offline = false

    @Option(name: .long, help: ArgumentHelp("An older version.", valueName: "version"))
    var version: UInt64?

    @Option(
        name: .long,
        help: ArgumentHelp("Wait for a version newer than this one.", valueName: "version"))
    var waitNewer: UInt64?

    @Option(
        name: .long,
        help: ArgumentHelp("How long --wait-newer waits, as 30s; 0: for ever.", valueName: "time"))
    var timeout = "0"

    @OptionGroup var replica: RootOptions
    @OptionGroup var talk: TalkOptions

    func validate() throws {
        if version != nil, offline || waitNewer != nil {
            throw ValidationError("--version cannot be combined with --offline or --wait-newer.")
        }
        if offline, waitNewer != nil {
            throw ValidationError("--offline cannot be combined with --wait-newer.")
        }
    }

    func run(in console: Console) async throws -> ExitCode {
        talk.apply(to: console)
        let session = try await Session.open(replica, writable: !offline, in: console)
        let source = try session.path(path)
        if let waitNewer { try await session.wait(for: source, after: waitNewer, timeout) }
        let file = try output.map { try OutputFile($0, in: console) }
        let write: @Sendable (UnsafeRawBufferPointer) throws -> Void = { bytes in
            if let file { try file.write(bytes) } else { try console.output.write(bytes) }
        }
        if let version {
            try await session.replica.show(source, version: version, write)
        } else {
            let found = try await session.replica.load(
                source, isOffline: offline, SyncOptions(), write)
            if let away = found.sync?.away { console.say("This is what is here. \(away)") }
            console.detail("\(source): version \(found.version).")
        }
        try file?.finish()
        return .done
    }
}

extension Session {
    /// Looks again and again until a path has a version newer than `version`.
    ///
    /// - Throws: `Failure` with code `notFound` when the time is over.
    func wait(for path: RelativePath, after version: UInt64, _ timeout: String) async throws {
        guard let seconds = TimeText.seconds(of: timeout) else {
            throw Failure(
                .usage, path: timeout, "This is no length of time.",
                remedy: "Write it as 30s, 5m or 2h.")
        }
        var options = SyncOptions()
        options.paths = [path]
        let end = console.surroundings.now().seconds.addingReportingOverflow(seconds)
        while true {
            _ = try await replica.sync(options)
            let found = try await replica.list([path]).first { $0.0 == path }
            if let found, found.1.version > version { return }
            if seconds > 0, !end.overflow, console.surroundings.now().seconds >= end.partialValue {
                throw Failure(
                    .notFound, path: path.bytes, "No version newer than \(version) came in time.",
                    remedy: "Wait longer, or load what is there.")
            }
            try await console.surroundings.sleep(.milliseconds(500))
        }
    }
}
