import FilesinkiCompression
import FilesinkiModel
import FilesinkiText

/// Sends bytes through a coder, from a file to a file, in bounded memory.
enum Filter {
    /// How many bytes passed.
    struct Sizes {
        var read: Int64 = 0
        var written: Int64 = 0

        func json(type: String) -> JSONObject {
            var object: JSONObject = ["type": .string(type)]
            object.add("read_bytes", read)
            object.add("written_bytes", written)
            return object
        }
    }

    /// - Parameters:
    ///   - target: The file to write; nil for standard output.
    ///   - refusesTerminal: Whether the result would only disturb a terminal.
    @discardableResult
    static func run(
        _ coder: inout any StreamCoder, from source: InputFile, to target: String?,
        refusesTerminal: Bool, in console: Console
    ) throws -> Sizes {
        guard let target else {
            try refuseTerminal(refusesTerminal && console.terminals.output)
            let sizes = try pass(&coder, source) { try console.output.write($0) }
            try console.output.flush()
            return sizes
        }
        let file = try OutputFile(target, in: console)
        let sizes = try pass(&coder, source, file.write)
        try file.finish()
        return sizes
    }

    /// Sends all bytes of a file through a coder.
    @discardableResult
    static func pass(
        _ coder: inout any StreamCoder, _ source: InputFile,
        _ output: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Sizes {
        var sizes = Sizes()
        func counting(_ bytes: UnsafeRawBufferPointer) throws {
            sizes.written += Int64(bytes.count)
            try output(bytes)
        }
        try source.read {
            sizes.read += Int64($0.count)
            try coder.process($0, finish: false, counting)
        }
        try coder.process(UnsafeRawBufferPointer(start: nil, count: 0), finish: true, counting)
        return sizes
    }

    private static func refuseTerminal(_ isRefused: Bool) throws(Failure) {
        guard isRefused else { return }
        throw Failure(
            .usage, "Compressed bytes are not for a terminal.",
            remedy: "Send them into a file or a pipe, or name a file with --output.")
    }
}
