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

    /// The paths of the command line and those of the file, in that order; nil when there is a file
    /// and no path at all, which must not be taken for everything.
    func all(_ arguments: [String], in console: Console) throws -> [String]? {
        guard let pathsFrom else { return arguments }
        let bytes = try InputFile(pathsFrom, in: console).readAll(limit: Self.limit)
        let end: UInt8 = null.null ? 0 : UInt8(ascii: "\n")
        let paths = arguments + bytes.split(separator: end).map { ArgumentText.encode(Array($0)) }
        return paths.isEmpty ? nil : paths
    }

    /// Refuses a command line that names no path where one is needed.
    func require(_ arguments: [String]) throws {
        if arguments.isEmpty, pathsFrom == nil {
            throw ValidationError("Name a path, or give --paths-from.")
        }
    }
}
