import ArgumentParser
import FilesinkiCompression
import FilesinkiModel

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
