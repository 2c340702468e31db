import FilesinkiModel
import Glibc

extension DatabaseMerge {
    /// The bytes of the header that say whether the file keeps a write-ahead log (fileformat2.html,
    /// section 1.3.3).
    private static let place = 18

    /// Makes the result a copy of the skeleton that needs no log beside it.
    ///
    /// - Returns: The bytes that the skeleton had there.
    func copy(_ skeleton: FileContent) throws(SQLiteTrouble) -> [UInt8] {
        do {
            try skeleton.copy(to: result)
            let mode = try skeleton.bytes(at: Self.place, count: 2)
            try write([1, 1])
            return mode
        } catch {
            throw .failed(error)
        }
    }

    /// Gives the result the skeleton's mode back.
    func setMode(_ mode: [UInt8]) throws(SQLiteTrouble) {
        do {
            try write(mode)
        } catch {
            throw .failed(error)
        }
    }

    private func write(_ mode: [UInt8]) throws(Failure) {
        let file = open(result, O_WRONLY | O_CLOEXEC)
        defer { if file >= 0 { close(file) } }
        guard file >= 0, pwrite(file, mode, mode.count, off_t(Self.place)) == mode.count else {
            throw Failure(
                .io, path: result, "The merged database could not be written.",
                remedy: "Check the disk and run again.")
        }
    }
}
