package import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

/// A file that is being made ready outside the tree. Unless it is installed, it is gone when the
/// value is.
package final class StagedFile: Sendable {
    /// Its name in the staging folder.
    package let name: [UInt8]
    private let staging: Staging
    private let state: Mutex<State>

    private struct State {
        /// Open until it is finished, so that many finished files cost no descriptors.
        var file: OpenFile?
        var status: FileStatus?
        var isInstalled = false
        /// The first bytes, by which a live file is known.
        var header: [UInt8] = []
        /// How many bytes were written, holes included.
        var length: Int64 = 0
        /// Whether the last of them are a hole, which the file does not reach yet.
        var endsInHole = false
    }

    init(name: [UInt8], staging: Staging, file: OpenFile?) {
        self.name = name
        self.staging = staging
        state = Mutex(State(file: file))
    }

    /// - Parameter file: Open for reading; it has its content already.
    init(
        name: [UInt8], staging: Staging, adopting file: consuming FileHandle
    ) throws(Failure) {
        let header = try? file.read(from: 0, count: Self.headerLength)
        self.name = name
        self.staging = staging
        state = Mutex(
            State(file: OpenFile(file), header: header ?? []))
    }

    deinit {
        let isInstalled = state.withLock { $0.isInstalled }
        // What cannot be removed now is removed by the next run's `Staging.clear`.
        if !isInstalled { try? staging.folder.unlink(name) }
    }

    /// Adds bytes at the end. Long runs of zeros become holes.
    ///
    /// - Throws: `Failure` with code ``FilesinkiModel/Failure/Code/full`` when the disk or the quota
    ///   is full.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        let offset = state.withLock { state in
            if state.header.count < Self.headerLength {
                state.header += bytes.prefix(Self.headerLength - state.header.count)
            }
            return state.length
        }
        let endsInHole = try withFile("write") { file throws(SystemError) in
            try file.writeWithHoles(bytes, at: offset)
        }
        state.withLock { state in
            state.length += Int64(bytes.count)
            if !bytes.isEmpty { state.endsInHole = endsInHole }
        }
    }

    private static let headerLength = 16

    /// The first 16 bytes; fewer of a shorter file.
    var header: [UInt8] { state.withLock { $0.header } }

    /// Gives the file its final mode and time and closes it.
    ///
    /// - Parameters:
    ///   - mode: Permission bits; what is above 0o777 is left out.
    ///   - sync: Whether to wait until the bytes are on disk.
    package func finish(mode: UInt16, modified: Timestamp, sync: Bool) throws(Failure) {
        let (length, endsInHole) = state.withLock { ($0.length, $0.endsInHole) }
        let status = try withFile("finish a file") { file throws(SystemError) in
            if endsInHole, ftruncate(file.raw, off_t(length)) != 0 { throw .last }
            let times = [modified.timespec, modified.timespec]
            guard fchmod(file.raw, mode_t(mode & 0o777)) == 0, futimens(file.raw, times) == 0 else {
                throw .last
            }
            if sync { try file.sync() }
            return try file.status()
        }
        state.withLock { state in
            state.status = status
            state.file = nil
        }
    }

    /// What the finished file is; nil before.
    package var status: FileStatus? { state.withLock { $0.status } }

    func setStatus(_ status: FileStatus?) { state.withLock { $0.status = status } }

    /// Whether its name in the staging folder was given away.
    var isInstalled: Bool { state.withLock { $0.isInstalled } }

    /// Says that the name in the staging folder is not ours to remove any more.
    func markInstalled() { state.withLock { $0.isInstalled = true } }

    private func withFile<Result>(
        _ doing: String, _ body: (borrowing FileHandle) throws(SystemError) -> Result
    ) throws(Failure) -> Result {
        let file = state.withLock { $0.file }
        guard let file else { throw staging.failure(SystemError(EBADF), doing) }
        do { return try body(file.descriptor) } catch { throw staging.failure(error, doing) }
    }
}

/// A descriptor that several may hold.
final class OpenFile: Sendable {
    let descriptor: FileHandle

    init(_ descriptor: consuming FileHandle) { self.descriptor = descriptor }
}

/// Long runs of zeros are not written but left out, so that a file takes as little room on the disk as
/// it did where it came from.
enum Holes {
    /// Shorter runs are written: each hole costs the file system a record.
    static let minimum = 65_536
    private static let block = 4_096

    /// The runs of zeros within the bytes that are to be holes, as offsets in the bytes.
    ///
    /// - Parameter offset: Where in the file the bytes will be. Holes begin and end at whole blocks.
    static func runs(in bytes: UnsafeRawBufferPointer, at offset: Int64) -> [Range<Int>] {
        guard bytes.count >= minimum else { return [] }
        var runs: [Range<Int>] = []
        var position = (block - Int(offset % Int64(block))) % block
        while position + block <= bytes.count {
            let start = position
            while position + block <= bytes.count, isZero(bytes, position) { position += block }
            if position - start >= minimum { runs.append(start..<position) }
            if position == start { position += block }
        }
        return runs
    }

    private static func isZero(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> Bool {
        guard let start = bytes.baseAddress?.advanced(by: position), bytes[position] == 0 else {
            return false
        }
        return memcmp(start, start + 1, block - 1) == 0
    }
}

extension FileHandle {
    /// Writes all of the bytes, with holes for long runs of zeros. After a hole at the very end, the
    /// length has to be set.
    ///
    /// - Parameter offset: Where the file ends now, and is written next.
    /// - Returns: Whether the bytes ended in a hole.
    func writeWithHoles(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64
    ) throws(SystemError) -> Bool {
        var written = 0
        for hole in Holes.runs(in: bytes, at: offset) {
            try write(UnsafeRawBufferPointer(rebasing: bytes[written..<hole.lowerBound]))
            guard lseek(raw, off_t(hole.count), SEEK_CUR) >= 0 else { throw .last }
            written = hole.upperBound
        }
        try write(UnsafeRawBufferPointer(rebasing: bytes[written...]))
        return written == bytes.count && written > 0
    }
}
