import ArgumentParser
import FilesinkiModel

/// How a list of paths is separated.
struct NullOption: ParsableArguments {
    @Flag(name: [.customShort("0"), .long], help: "Print bare paths, each ended by a NUL byte.")
    var null = false

    /// Prints one path as it is, with a NUL byte behind it.
    func printPath(_ path: RelativePath, to output: Output) throws {
        try output.write(path.bytes + [0])
    }
}
