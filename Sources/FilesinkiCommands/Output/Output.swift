import FilesinkiEngine
import FilesinkiModel
import FilesinkiSystem
import FilesinkiText
import Glibc
import Synchronization

/// A stream of a command: buffered, and flushed after each line of JSON.
package final class Output: Sendable {
    private let sink: any ByteSink
    private let buffer = Mutex<[UInt8]>([])
    private let heading = Mutex<String?>(nil)
    private static let bufferSize = 64 * 1024

    package init(_ sink: any ByteSink) {
        self.sink = sink
    }

    /// Text and a newline.
    func line(_ text: String) throws {
        try write(text.utf8)
        try write(CollectionOfOne(UInt8(ascii: "\n")))
    }

    /// One JSON object on a line of its own, visible to a reader at once.
    func json(_ object: JSONObject) throws {
        try write(object.bytes)
        try write(CollectionOfOne(UInt8(ascii: "\n")))
        try flush()
    }

    /// Sets the line that precedes what is written next; nil for none.
    func setHeading(_ text: String?) { heading.withLock { $0 = text } }

    /// The heading that is not written yet, which the caller writes.
    func takeHeading() -> String? {
        heading.withLock { heading in
            defer { heading = nil }
            return heading
        }
    }

    /// Bytes as they are.
    func write(_ bytes: some Collection<UInt8>) throws {
        if let heading = takeHeading() { try line(heading) }
        try buffer.withLock { buffer in
            buffer.append(contentsOf: bytes)
            if buffer.count >= Self.bufferSize { try Self.flush(&buffer, to: sink) }
        }
    }

    /// Hands on what is buffered.
    func flush() throws {
        try buffer.withLock { try Self.flush(&$0, to: sink) }
    }

    /// Hands on what is buffered, and waits until a reader that is slow has taken it.
    func drain() async throws {
        try flush()
        if let sink = sink as? any DrainingSink { try await sink.drain() }
    }

    /// Lets go of the reader of standard output, who has all that it waits for: that it ends must not end
    /// this process.
    func detach() {
        guard descriptor == STDOUT_FILENO else { return }
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard nowhere >= 0 else { return }
        dup2(nowhere, STDOUT_FILENO)
        close(nowhere)
    }

    /// The descriptor that everything goes to; nil where there is none.
    var descriptor: Int32? { (sink as? DescriptorSink)?.descriptor }

    private static func flush(_ buffer: inout [UInt8], to sink: any ByteSink) throws {
        guard !buffer.isEmpty else { return }
        defer { buffer.removeAll(keepingCapacity: true) }
        try buffer.withUnsafeBytes(sink.write)
    }
}

/// Where a command's bytes go: a file descriptor, or memory in a test.
package protocol ByteSink: AnyObject, Sendable {
    /// Takes all the bytes.
    ///
    /// - Throws: `Failure` with code `io` or `full` when they cannot be written.
    func write(_ bytes: UnsafeRawBufferPointer) throws
}

/// A sink that keeps what its reader has not taken yet.
protocol DrainingSink: ByteSink {
    /// Waits until the reader has taken everything.
    func drain() async throws
}

/// Writes to a file descriptor that somebody else opened and closes.
package final class DescriptorSink: ByteSink {
    fileprivate let descriptor: Int32
    private let name: String

    /// - Parameter name: What a message calls it, such as `standard output`.
    package init(_ descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        do { try FileHandle.write(bytes, to: descriptor) } catch {
            throw error.failure("write", name, of: .argument)
        }
    }
}

extension NamedFile: ByteSink {}

extension Failure {
    /// The failure for programs; `type` says whether it ended the command or is about one path.
    func json(type: String) -> JSONObject {
        var object: JSONObject = ["type": .string(type)]
        if !path.isEmpty { object.add("path", bytes: path) }
        object.add("code", code.description)
        object.add("message", message)
        object.add("remedy", remedy)
        return object
    }
}

extension Console {
    /// Shows what is worth a word about the replica as a whole, not about a path in it, and what no later run says.
    func showNotices(ofReplica report: SyncReport) throws {
        let notices = report.notices.filter { $0.isOfReplica || $0.isUrgent && $0.isNews }
        try show(notices, type: "notice")
    }

    /// Shows what failed, or is worth a word, on single paths.
    func show(_ problems: [Problem], type: String) throws {
        for problem in problems {
            let failure = problem.named
            if outputOptions.isJSON {
                try output.json(failure.json(type: type))
            } else if type == "problem" || problem.isUrgent && outputOptions.verbosity == .quiet {
                complain(failure)
            } else {
                say(failure.description)
            }
        }
    }

    /// Shows what could not be used of the store, or written to it.
    func show(_ problems: [Failure], type: String = "problem") throws {
        for problem in problems {
            if outputOptions.isJSON {
                try output.json(problem.json(type: type))
            } else {
                complain(problem)
            }
        }
    }
}

extension Problem {
    /// The failure, which may be about something else, such as a pack, under the path that it befell.
    fileprivate var named: Failure {
        var named = failure
        named.path = path.bytes
        if !failure.path.isEmpty, failure.path != path.bytes {
            named.message = "\(printable(failure.path)): \(failure.message)"
        }
        return named
    }
}
