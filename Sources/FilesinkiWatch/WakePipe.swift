import CKernel
import FilesinkiModel
import Glibc

/// A pipe whose reading end wakes a thread out of poll(2). Never blocks, at either end.
final class WakePipe: Sendable {
    private let reading: OpenFile
    private let writing: OpenFile

    init() throws(Failure) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0, let reading = OpenFile(ends[0]), let writing = OpenFile(ends[1])
        else {
            throw Failure(
                .io, "The watch could not begin: no pipe, error \(errno).",
                remedy: "Raise the limit of open files (ulimit -n).")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        self.reading = reading
        self.writing = writing
    }

    /// Becomes readable when there is something.
    var file: Int32 { reading.number }

    /// Where a signal is reported to.
    var signalFile: Int32 { writing.number }

    func wake() {
        var byte: UInt8 = 0
        _ = write(writing.number, &byte, 1)
    }

    /// Takes the bytes that have come.
    func take() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(reading.number, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }
}
