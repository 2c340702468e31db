import CKernel
package import FilesinkiModel
import Glibc

/// What a child process wrote until it ended.
package struct CollectedOutput: Sendable {
    /// The exit code; 128 plus the number for a signal.
    package var code: Int32
    /// Its standard output; nil if that was larger than the limit.
    package var output: [UInt8]?
    /// The beginning of its standard error, at most ``maximumMessages`` bytes.
    package var messages: [UInt8]

    package static let maximumMessages = 64 << 10
}

extension ChildProcess {
    /// Runs the child to its end, and collects what it writes. Blocks until then.
    ///
    /// - Parameters:
    ///   - input: Its standard input.
    ///   - limit: The maximum size of the output in bytes; a child that writes more is ended.
    /// - Throws: `Failure` with code `io` when it cannot be started.
    package func collect(input: [UInt8], limit: Int) throws(Failure) -> CollectedOutput {
        let input = try NamedFile.inMemory(input)
        guard let messages = FileHandle(fsk_memory_file("messages")) else {
            throw SystemError.last.failure("run the program", program)
        }
        var process = self
        process.streams[STDIN_FILENO] = .descriptor(input.handle.raw)
        process.streams[STDERR_FILENO] = .descriptor(messages.raw)
        let (code, output) = try SystemError.reported("run the program", program.utf8) {
            () throws(SystemError) in try process.collectOutput(limit: limit)
        }
        let text = try? messages.read(from: 0, count: CollectedOutput.maximumMessages)
        return withExtendedLifetime(input) {
            CollectedOutput(code: code, output: output, messages: text ?? [])
        }
    }
}

extension NamedFile {
    /// A file in memory with these bytes, to be read from its beginning. Unlike a pipe it has any size
    /// and does not block.
    static func inMemory(_ bytes: [UInt8]) throws(Failure) -> NamedFile {
        guard let handle = FileHandle(fsk_memory_file("input")) else {
            throw SystemError.last.failure("keep the command's input in memory", "")
        }
        let file = NamedFile(handle, path: [], of: .own)
        try file.write(bytes)
        lseek(file.handle.raw, 0, SEEK_SET)
        return file
    }
}
