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

    func settle(_ status: FileStatus?) { state.withLock { $0.status = status } }

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
