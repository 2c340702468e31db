import ArgumentParser
import FilesinkiModel

/// A list of paths that may be longer than a command line.
struct PathsOption: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Paths from a file too, one a line, or with -0 each ended by a NUL byte; - is "
                + "standard input.",
            valueName: "file"),
        completion: .file())
    var pathsFrom: String?

    @OptionGroup var null: NullOption

    /// The longest list, in bytes: 256 MiB.
    private static let limit = 256 << 20

    /// The paths of the command line and those of the file, in that order; nil when the file names
    /// none. That must not be taken for everything, and a path before it may be the root itself.
    func all(_ arguments: [String], in console: Console) throws -> [String]? {
        guard let pathsFrom else { return arguments }
        let bytes = try InputFile(pathsFrom, in: console).readAll(limit: Self.limit)
        let end: UInt8 = null.null ? 0 : UInt8(ascii: "\n")
        let paths = bytes.split(separator: end).map { ArgumentText.encode(Array($0)) }
        guard paths.isEmpty else { return arguments + paths }
        let nothing = "The list names no path, so nothing was done."
        // Quiet for cron, whose lists are often empty.
        if console.terminals.talk { console.say(nothing) } else { console.detail(nothing) }
        return nil
    }

    /// Refuses a command line that names no path where one is needed.
    func require(_ arguments: [String]) throws {
        if arguments.isEmpty, pathsFrom == nil {
            throw ValidationError("Name a path, or give --paths-from.")
        }
    }
}
