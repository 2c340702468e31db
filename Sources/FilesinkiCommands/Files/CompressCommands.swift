import ArgumentParser
import FilesinkiCompression
import FilesinkiModel
import FilesinkiText

/// `compress`: a filter, as `xz` is.
struct CompressCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "compress",
        abstract: "Compress standard input, or a file, to standard output.",
        discussion: "The result is an ordinary .xz or .zst stream.")

    /// The formats that can be written.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case xz, zstd
    }

    @Argument(help: "The file; standard input if omitted or -.", completion: .file())
    var file: String?

    @Option(name: .shortAndLong, help: "Write to this file, atomically.")
    var output: String?

    @Option(name: .long, help: "xz (smaller) or zstd (faster).")
    var format = Format.xz

    @Option(
        name: .shortAndLong,
        help: "From 0 (fast) to 9 (small), with zstd to 19. Default: 6, with zstd 3.")
    var level: Int?

    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        try console.requireFile(output)
        var coder = try encoder()
        let source = try InputFile(file, in: console)
        let sizes = try Filter.run(
            &coder, from: source, to: output, refusesTerminal: true, in: console)
        if report.json { try console.output.json(sizes.json(type: "compressed")) }
        return .done
    }

    private func encoder() throws -> any StreamCoder {
        let highest = format == .xz ? 9 : 19
        let chosen = level ?? (format == .xz ? 6 : 3)
        guard (0...highest).contains(chosen) else {
            throw Failure(
                .usage, "Invalid level for \(format.rawValue): \(chosen).",
                remedy: "Choose one from 0 to \(highest).")
        }
        switch format {
        case .xz: return try XZEncoder(preset: UInt32(chosen))
        case .zstd: return try ZstdEncoder(level: Int32(chosen))
        }
    }
}

/// `decompress`: the filter that undoes `compress`.
struct DecompressCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "decompress",
        abstract: "Decompress standard input, or a file, to standard output.",
        discussion: "Detects .xz and .zst streams by their first bytes.")

    @Argument(help: "The file; standard input if omitted or -.", completion: .file())
    var file: String?

    @Option(name: .shortAndLong, help: "Write to this file, atomically.")
    var output: String?

    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        try console.requireFile(output)
        let source = try InputFile(file, in: console)
        var coder: any StreamCoder = DetectingDecoder(name: source.name)
        do {
            let sizes = try Filter.run(
                &coder, from: source, to: output, refusesTerminal: false, in: console)
            if report.json { try console.output.json(sizes.json(type: "decompressed")) }
        } catch var failure as Failure where failure.path.isEmpty {
            failure.path = Array(source.name.utf8)
            throw failure
        }
        return .done
    }
}

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
        guard let file = try console.outputFile(target) else {
            try refuseTerminal(refusesTerminal && console.terminals.output)
            let sizes = try pass(&coder, source) { try console.output.write($0) }
            try console.output.flush()
            return sizes
        }
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
            .usage, "Compressed data cannot be written to a terminal.",
            remedy: "Redirect it to a file or a pipe, or give --output.")
    }
}

/// A decoder that becomes that of the format which the first bytes show.
struct DetectingDecoder: StreamCoder {
    /// What a message calls the stream.
    let name: String
    private var prefix: [UInt8] = []
    private var decoder: (any StreamCoder)?

    init(name: String) {
        self.name = name
    }

    mutating func process(
        _ input: UnsafeRawBufferPointer, finish: Bool,
        _ output: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        if decoder != nil { return try forward(input, finish: finish, output) }
        prefix.append(contentsOf: input)
        guard finish || prefix.count >= StreamFormat.prefixLength else { return }
        switch StreamFormat.detect(prefix) {
        case .xz: decoder = try XZDecoder()
        case .zstd: decoder = try ZstdDecoder()
        case nil:
            throw Failure(
                .corrupt, path: name, "Not an .xz or .zst stream.",
                remedy: "Check that it is the right file, and complete.")
        }
        let held = prefix
        prefix = []
        try held.withUnsafeBytes { try forward($0, finish: finish, output) }
    }

    private mutating func forward(
        _ input: UnsafeRawBufferPointer, finish: Bool,
        _ output: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try decoder?.process(input, finish: finish, output)
    }
}
