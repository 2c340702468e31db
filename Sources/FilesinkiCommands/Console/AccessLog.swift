import FilesinkiModel
import Glibc
import Synchronization

/// Where `serve` writes a line for each request: a file that grows, or standard error.
final class AccessLog: Sendable {
    private let sink: Mutex<DescriptorSink>
    private let descriptor: Int32

    /// - Parameter path: As the user typed it; `-` is standard error.
    init(_ path: String, in console: Console) throws(Failure) {
        guard path != "-" else {
            descriptor = STDERR_FILENO
            sink = Mutex(DescriptorSink(STDERR_FILENO, name: "standard error"))
            return
        }
        let place = FilePlace.absolute(ArgumentText.bytes(of: path), in: console.currentFolder)
        // Addresses of people are in it.
        descriptor = FileCall.open(place, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, mode: 0o600)
        guard descriptor >= 0 else {
            throw SystemFailure.make(errno, path: printable(place), doing: "be written")
        }
        sink = Mutex(DescriptorSink(descriptor, name: printable(place)))
    }

    deinit { if descriptor != STDERR_FILENO { close(descriptor) } }

    /// A line that cannot be written is lost: requests are answered all the same.
    func add(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        sink.withLock { sink in try? bytes.withUnsafeBytes(sink.write) }
    }
}
