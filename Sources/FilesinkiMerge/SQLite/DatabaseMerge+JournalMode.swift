import FilesinkiModel
import FilesinkiSystem
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
        try NamedFile(result, O_WRONLY, of: .own).write(mode, at: Int64(Self.place))
    }
}
