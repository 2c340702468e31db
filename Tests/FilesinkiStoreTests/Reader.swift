import Foundation

/// The reader of stores in Python, run as a program.
struct Reader {
    /// How a run ended.
    struct Outcome {
        var code: Int32
        var output: String
    }

    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Reader/filesinki_reader.py").path

    /// Runs the reader and waits for it. What it says on both outputs comes back as one text.
    static func run(_ arguments: String...) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(
            code: process.terminationStatus, output: String(decoding: output, as: UTF8.self))
    }
}
