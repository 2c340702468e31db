package import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

/// A file that is prepared outside the tree. It is removed with the value unless it was installed.
package final class StagedFile: Sendable {
    /// Its name in the staging folder.
    package let name: [UInt8]
    private let staging: Staging
    private let state: Mutex<State>

    private struct State {
        /// Closed when the file is finished, so that many finished files use no descriptors.
        var file: OpenFile?
        var status: FileStatus?
        var isInstalled = false
        /// The first bytes, which identify a live file.
        var header: [UInt8] = []
        /// The number of bytes written, including holes.
        var length: Int64 = 0
        /// Whether the last bytes are a hole beyond the present end of the file.
        var endsInHole = false
    }

    init(name: [UInt8], staging: Staging, file: OpenFile?) {
        self.name = name
        self.staging = staging
        state = Mutex(State(file: file))
    }

    /// - Parameter file: A file with its content, open for reading.
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
        // If this fails, `Staging.clear` of the next run removes it.
        if !isInstalled { try? staging.folder.unlink(name) }
    }

    /// Appends bytes. Long runs of zeros become holes.
    ///
    /// - Throws: `Failure` with code ``FilesinkiModel/Failure/Code/full`` when the disk or quota
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

    /// The first 16 bytes, or fewer of a shorter file.
    var header: [UInt8] { state.withLock { $0.header } }

    /// Sets the final mode and time and closes the file.
    ///
    /// - Parameters:
    ///   - mode: Permission bits; bits above 0o777 are ignored.
    ///   - sync: Whether to sync the bytes to disk.
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

    /// The status of the finished file; nil before ``finish(mode:modified:sync:)``.
    package var status: FileStatus? { state.withLock { $0.status } }

    func setStatus(_ status: FileStatus?) { state.withLock { $0.status = status } }

    /// Opens the finished file for reading, before it is installed.
    package func reader() throws(Failure) -> FileReader {
        do {
            let file = try staging.folder.open(name, O_RDONLY | O_NOFOLLOW)
            let status = try file.status()
            return FileReader(
                path: RelativePath(unchecked: name),
                content: OpenContent(file: file, before: status, shown: status))
        } catch { throw staging.failure(error, "read a file") }
    }

    /// Whether the file was installed or its staged name reused.
    var isInstalled: Bool { state.withLock { $0.isInstalled } }

    /// Prevents the removal of the staged name.
    func markInstalled() { state.withLock { $0.isInstalled = true } }

    private func withFile<Result>(
        _ doing: String, _ body: (borrowing FileHandle) throws(SystemError) -> Result
    ) throws(Failure) -> Result {
        let file = state.withLock { $0.file }
        guard let file else { throw staging.failure(SystemError(EBADF), doing) }
        do { return try body(file.descriptor) } catch { throw staging.failure(error, doing) }
    }
}

/// A shared file descriptor.
final class OpenFile: Sendable {
    let descriptor: FileHandle

    init(_ descriptor: consuming FileHandle) { self.descriptor = descriptor }
}

/// Writes long runs of zeros as holes, so that a sparse file stays sparse.
enum Holes {
    /// The minimum length of a hole in bytes. Each hole costs the file system a record.
    static let minimum = 65_536
    private static let block = 4_096

    /// The runs of zeros that become holes, as offsets in `bytes`.
    ///
    /// - Parameter offset: The position of the bytes in the file. Holes are aligned to blocks.
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
    /// Writes all bytes, with holes for long runs of zeros. If the bytes end in a hole, the caller
    /// must set the file's length.
    ///
    /// - Parameter offset: The present end of the file, where the bytes are written.
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
