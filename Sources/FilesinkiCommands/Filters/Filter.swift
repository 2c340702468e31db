import FilesinkiCompression
import FilesinkiModel

/// Sends bytes through a coder, from a file to a file, in bounded memory.
enum Filter {
    /// - Parameters:
    ///   - target: The file to write; nil for standard output.
    ///   - refusesTerminal: Whether the result would only disturb a terminal.
    static func run(
        _ coder: inout any StreamCoder, from source: InputFile, to target: String?,
        refusesTerminal: Bool, in console: Console
    ) throws {
        guard let target else {
            try refuseTerminal(refusesTerminal && console.terminals.output)
            try pass(&coder, source) { try console.output.write($0) }
            return try console.output.flush()
        }
        let file = try OutputFile(target, in: console)
        try pass(&coder, source, file.write)
        try file.finish()
    }

    private static func pass(
        _ coder: inout any StreamCoder, _ source: InputFile,
        _ output: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try source.read { try coder.process($0, finish: false, output) }
        try coder.process(UnsafeRawBufferPointer(start: nil, count: 0), finish: true, output)
    }

    private static func refuseTerminal(_ isRefused: Bool) throws(Failure) {
        guard isRefused else { return }
        throw Failure(
            .usage, "Compressed bytes are not for a terminal.",
            remedy: "Send them into a file or a pipe, or name a file with --output.")
    }
}
