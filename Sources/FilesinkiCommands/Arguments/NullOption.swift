import ArgumentParser
import FilesinkiModel

/// How a list of paths is separated.
struct NullOption: ParsableArguments {
    @Flag(
        name: [.customShort("0"), .long], help: "Print bare paths, each terminated by a NUL byte.")
    var null = false

    /// Tells the console.
    func apply(to console: Console) { console.outputOptions.isNull = null }
}

extension Output {
    /// A path as it is, with a NUL byte behind it.
    func path(_ path: RelativePath) throws { try write(path.bytes + [0]) }
}
