import FilesinkiModel
package import FilesinkiRemote
import FilesinkiSystem
import Glibc
import Synchronization

/// An object on its way into the store: written piece by piece, out of sight, then moved to its place.
///
/// It lies in the folder `.uploads`, which no key names. One with a name of its own stays there when its
/// writer goes away, to be continued; another is removed.
package final class StagedUpload: Sendable {
    /// Where uploads lie, below the store's folder.
    static let place = ".uploads"

    let remote: DirectoryRemote
    let name: String
    /// Whether somebody may come back for it.
    let isNamed: Bool
    private let file: FileHandle
    private let state: Mutex<State>

    private struct State {
        var count: Int64
        var isOver = false
    }

    init(
        _ remote: DirectoryRemote, _ name: String, isNamed: Bool, _ file: consuming FileHandle,
        count: Int64
    ) {
        self.remote = remote
        self.name = name
        self.isNamed = isNamed
        self.file = file
        state = Mutex(State(count: count))
    }

    deinit {
        if !isNamed, !state.withLock({ $0.isOver }) { remote.removeUpload(name) }
    }

    /// How many bytes are there.
    package var count: Int64 { state.withLock { $0.count } }

    /// Writes a piece behind what is there.
    ///
    /// - Throws: `Failure`: `full`, `io`; `busy` when the upload was ended by ``end()``.
    package func append(_ bytes: [UInt8]) async throws {
        try await offload { try self.appendNow(bytes) }
    }

    private func appendNow(_ bytes: [UInt8]) throws(Failure) {
        // Under the lock: after `end()` nobody may still write.
        let result: Result<Void, Failure> = state.withLock { state in
            guard !state.isOver else { return .failure(Self.ended(name)) }
            do throws(Failure) {
                try reported("write the file", name) { () throws(SystemError) in
                    try file.write(bytes, at: state.count)
                }
            } catch {
                return .failure(error)
            }
            state.count += Int64(bytes.count)
            return .success(())
        }
        try result.get()
    }

    /// Up to `count` of the bytes from `offset`.
    package func read(from offset: Int64, count: Int) async throws -> [UInt8] {
        try await offload { try self.bytes(from: offset, count: count) }
    }

    private func bytes(from offset: Int64, count: Int) throws(Failure) -> [UInt8] {
        try reported("read the file", name) { () throws(SystemError) in
            try file.read(from: offset, count: count)
        }
    }

    /// Lets no more be written, so that somebody else may continue it.
    ///
    /// - Returns: False when it is about to be moved to its place, or is there already.
    package func end() -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.isOver = true
            file.unlock()
            return true
        }
    }

    /// Removes it.
    package func discard() async throws {
        try await offload {
            self.state.withLock { $0.isOver = true }
            self.remote.removeUpload(self.name)
        }
    }

    /// Moves the bytes to a key that is no slot. Nothing is overwritten.
    ///
    /// - Returns: False when these very bytes were there already.
    /// - Throws: `Failure`: `exists` when the key holds other bytes; what writing to a disk can meet.
    ///   Nothing is visible then.
    package func store(at key: ObjectKey) async throws -> Bool {
        try await offload {
            try self.seal()
            for _ in 0..<8 {
                if try self.remote.openNow(key) != nil {
                    let isSame = try self.isSame(as: key)
                    self.remote.removeUpload(self.name)
                    guard isSame else { throw Self.exists(key) }
                    return false
                }
                if try self.remote.move(self.name, to: key) { return true }
            }
            throw strangeFailure(key.description)
        }
    }

    private static func exists(_ key: ObjectKey) -> Failure {
        Failure(
            .exists, path: key.description, "The key holds other bytes.",
            remedy: "Nothing is overwritten. Run filesinki check.")
    }

    /// Fills a slot with the bytes, unless it is full.
    ///
    /// - Returns: Whether the slot holds these bytes now.
    /// - Throws: As `Remote.publish` does.
    package func publish(to slot: ObjectKey) async throws -> Bool {
        try await offload {
            try self.seal()
            defer { self.remote.removeUpload(self.name) }
            return try self.remote.fill(slot, with: self)
        }
    }

    /// Sees the bytes to the disk, and takes no more.
    private func seal() throws(Failure) {
        let wasOver = state.withLock { state in
            defer { state.isOver = true }
            return state.isOver
        }
        guard !wasOver else { throw Self.ended(name) }
        try reported("sync the file", name) { () throws(SystemError) in try file.sync() }
    }

    /// Whether the key holds these bytes.
    func isSame(as key: ObjectKey) throws(Failure) -> Bool {
        guard let object = try remote.openNow(key), object.size == count else { return false }
        let piece = 1 << 18
        var offset: Int64 = 0
        while offset < object.size {
            let there = try object.readNow(from: offset, count: piece)
            guard try bytes(from: offset, count: piece) == there, !there.isEmpty else {
                return false
            }
            offset += Int64(there.count)
        }
        return true
    }

    private static func ended(_ name: String) -> Failure {
        Failure(
            .busy, path: name, "The upload was ended by another request.",
            remedy: "Ask how much of it is there, and continue it.")
    }
}
