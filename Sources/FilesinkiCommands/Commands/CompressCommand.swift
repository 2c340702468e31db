import ArgumentParser
import FilesinkiCompression
import FilesinkiModel

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
