import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

/// Where `serve` writes a line for each request: a file that grows, or standard error.
final class AccessLog: Sendable {
    private let sink: Mutex<any ByteSink>

    /// - Parameter path: As the user typed it; `-` is standard error.
    init(_ path: String, in console: Console) throws(Failure) {
        guard path != "-" else {
            sink = Mutex(DescriptorSink(STDERR_FILENO, name: "standard error"))
            return
        }
        let place = FilePlace.absolute(ArgumentText.bytes(of: path), in: console.currentFolder)
        // Addresses of people are in it.
        sink = Mutex(
            try NamedFile(place, O_WRONLY | O_CREAT | O_APPEND, mode: 0o600, of: .argument))
    }

    /// A line that cannot be written is lost: requests are answered all the same.
    func add(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        sink.withLock { sink in try? bytes.withUnsafeBytes { try sink.write($0) } }
    }
}
