package import FilesinkiModel
import Glibc

/// A non-blocking pipe that wakes a thread from poll(2).
package final class WakePipe: Sendable {
    private let pipe: Pipe

    package init() throws(Failure) {
        pipe = try SystemError.reported("create a pipe", "".utf8) { () throws(SystemError) in
            try Pipe()
        }
        pipe.setNonBlocking()
    }

    /// The reading end; readable after ``wake()``.
    package var file: Int32 { pipe.reading.raw }

    /// The writing end, for signal handlers.
    package var signalFile: Int32 { pipe.writing.raw }

    package func wake() {
        var byte: UInt8 = 0
        _ = write(pipe.writing.raw, &byte, 1)
    }

    /// Reads the available bytes.
    package func drain() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = bytes.withUnsafeMutableBytes { try? pipe.reading.read(into: $0) }
        return Array(bytes.prefix(count ?? 0))
    }
}
