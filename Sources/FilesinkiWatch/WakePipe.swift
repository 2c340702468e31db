import CKernel
import FilesinkiModel
import FilesinkiSystem
import Glibc

/// A pipe whose reading end wakes a thread out of poll(2). Never blocks, at either end.
final class WakePipe: Sendable {
    private let pipe: Pipe

    init() throws(Failure) {
        pipe = try SystemError.reported("watch the folder", "".utf8) { () throws(SystemError) in
            try Pipe()
        }
        pipe.setNonBlocking()
    }

    /// Becomes readable when there is something.
    var file: Int32 { pipe.reading.raw }

    /// Where a signal is reported to.
    var signalFile: Int32 { pipe.writing.raw }

    func wake() {
        var byte: UInt8 = 0
        _ = write(pipe.writing.raw, &byte, 1)
    }

    /// Takes the bytes that have come.
    func take() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = bytes.withUnsafeMutableBytes { try? pipe.reading.read(into: $0) }
        return Array(bytes.prefix(count ?? 0))
    }
}
