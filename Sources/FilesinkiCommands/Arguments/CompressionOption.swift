import ArgumentParser
import FilesinkiCompression
import FilesinkiModel

extension FileCompression: ExpressibleByArgument {}

/// Whether a path means the compressed file beside it.
///
/// See Docs/Decisions/0180-compressed-files.md.
struct CompressionOption: ParsableArguments {
    @Option(
        name: [.long, .customLong("compressed")],
        help: ArgumentHelp(
            "The file is compressed, as PATH.zst or PATH.xz: --compress, or --compress=xz.",
            valueName: "format"))
    var compress: FileCompression?

    /// The argument that names the file in the root.
    func file(_ path: String) -> String { compress?.name(of: path) ?? path }

    /// Lets the format be left out, as of options of GNU programs: the parser has no such options that
    /// do not take the next argument for their value.
    static func complete(_ arguments: [String]) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        return arguments[..<end].map { argument in
            ["--compress", "--compressed"].contains(argument) ? argument + "=zstd" : argument
        } + arguments[end...]
    }
}

/// Decompresses what is written to it on its way to another place. One task writes to it.
final class DecompressingSink: ByteSink {
    private let name: String
    private let target: @Sendable (UnsafeRawBufferPointer) throws -> Void
    // Used by the one task that writes.
    private nonisolated(unsafe) var decoder: any StreamCoder

    /// - Parameter name: What a message calls the compressed file.
    init(
        _ format: FileCompression, name: String,
        to target: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) throws(Failure) {
        self.name = name
        self.target = target
        decoder = try format.decoder()
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws { try process(bytes, finish: false) }

    /// Checks that the file was whole; nothing may be written after it.
    func finish() throws { try process(UnsafeRawBufferPointer(start: nil, count: 0), finish: true) }

    private func process(_ bytes: UnsafeRawBufferPointer, finish: Bool) throws {
        do {
            try decoder.process(bytes, finish: finish, target)
        } catch var failure as Failure where failure.path.isEmpty {
            failure.path = Array(name.utf8)
            throw failure
        }
    }
}
