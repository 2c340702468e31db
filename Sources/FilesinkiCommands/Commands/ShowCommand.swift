import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// `show`: any content of the history.
struct ShowCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print a version of a path, or any content in the store.",
        discussion: """
            PATH@VERSION is a version that log lists. With --at or --commit, prints PATH as of that \
            time or commit.
            """)

    @Argument(
        help: ArgumentHelp("A path with a version, e.g. notes/a@12.", valueName: "path@version"))
    var version: String?

    @Option(
        name: .long, help: ArgumentHelp("A content ID: 64 hexadecimal digits.", valueName: "id"))
    var content: String?

    @OptionGroup var history: HistoryOptions

    @Option(name: .shortAndLong, help: "Write to this file, atomically.")
    var output: String?

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func validate() throws {
        if (version == nil) == (content == nil) {
            throw ValidationError("Give either PATH@VERSION or --content ID.")
        }
        if content != nil, history.isGiven {
            throw ValidationError("--content cannot be combined with --at or --commit.")
        }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        try console.requireFile(output)
        var object: JSONObject = ["type": "shown"]
        let session = try await Session.open(replica, writable: false, in: console)
        let file = try output.map { try OutputFile($0, in: console) }
        let write: @Sendable (UnsafeRawBufferPointer) throws -> Void = { bytes in
            if let file { try file.write(bytes) } else { try console.output.write(bytes) }
        }
        if let version {
            let wanted = try history.point(of: version)
            let path = try session.path(wanted.path)
            let tree = try await session.tree(at: wanted.point, of: [path])
            try await session.replica.show(path, in: tree, write)
            object.add("path", path)
            object.add("version", try tree.version(of: path))
        } else if let content {
            guard let id = ContentID(hexadecimal: content) else {
                throw Failure(
                    .usage, path: content, "Invalid content ID.",
                    remedy: "It has 64 hexadecimal digits; filesinki log --json shows them.")
            }
            try await session.replica.show(content: id, write)
            object.add("content", id.description)
        }
        try file?.finish()
        if report.json { try console.output.json(object) }
        return .done
    }
}
