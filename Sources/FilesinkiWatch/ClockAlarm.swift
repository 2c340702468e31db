import CKernel
import FilesinkiSystem
import Glibc

/// Hears at once that the wall clock was set or the machine was suspended, without looking now and
/// then.
final class ClockAlarm: Sendable {
    private let timer: FileHandle?
    /// Becomes readable; -1 where the kernel has no such thing.
    let file: Int32

    init() {
        file = fsk_clock_change_file()
        timer = FileHandle(file)
        windUp()
    }

    private func windUp() { _ = fsk_wind_up(file) }

    /// Makes ready for the next time.
    func takeNote() {
        var count: UInt64 = 0
        _ = read(file, &count, MemoryLayout<UInt64>.size)
        windUp()
    }
}
