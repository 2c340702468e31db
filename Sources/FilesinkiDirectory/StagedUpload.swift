import FilesinkiModel
package import FilesinkiRemote
import FilesinkiSystem
import Glibc
import Synchronization

/// An object that is being uploaded: written piece by piece in the ``UploadFolder``, then moved to its
/// place.
///
/// A named upload remains when its writer goes away, so that it can be continued; others are removed.
package final class StagedUpload: Sendable {
    private let uploads: UploadFolder
    let name: String
    /// Whether it can be continued.
    private let isNamed: Bool
    private let file: FileHandle
    private let state: Mutex<State>

    private struct State {
        var count: Int64
        /// Whether it was ended, discarded or moved to its place.
        var isOver = false
    }

    init(
        _ uploads: UploadFolder, _ name: String, isNamed: Bool, _ file: consuming FileHandle,
        count: Int64
    ) {
        self.uploads = uploads
        self.name = name
        self.isNamed = isNamed
        self.file = file
        state = Mutex(State(count: count))
    }

    deinit {
        if !isNamed, !state.withLock({ $0.isOver }) { uploads.remove(name) }
    }

    /// Its length in bytes.
    package var count: Int64 { state.withLock { $0.count } }

    /// Appends a piece.
    ///
    /// - Throws: `Failure`: `full`, `io`; `busy` after ``end()``.
    package func append(_ bytes: [UInt8]) async throws {
        try await offload { try self.appendNow(bytes) }
    }

    private func appendNow(_ bytes: [UInt8]) throws(Failure) {
        // Under the lock, so that nothing is written after `end()`.
        let result: Result<Void, Failure> = state.withLock { state in
            guard !state.isOver else { return .failure(endedError) }
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

    /// Up to `count` bytes from `offset`; fewer only at the end.
    package func read(from offset: Int64, count: Int) async throws -> [UInt8] {
        try await offload { try self.bytes(from: offset, count: count) }
    }

    private func bytes(from offset: Int64, count: Int) throws(Failure) -> [UInt8] {
        try reported("read the file", name) { () throws(SystemError) in
            try file.read(from: offset, count: count)
        }
    }

    /// Ends writing and releases the lock, so that another request can continue the upload.
    ///
    /// - Returns: False when the upload is complete, or was ended or discarded before.
    package func end() -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.isOver = true
            file.unlock()
            return true
        }
    }

    /// Removes the upload.
    package func discard() async throws {
        try await offload {
            self.state.withLock { $0.isOver = true }
            self.uploads.remove(self.name)
        }
    }

    /// Moves the upload to a key that is not a slot. Never overwrites an object.
    ///
    /// - Returns: False when the key had the same bytes already.
    /// - Throws: `Failure`: `exists` when the key has other bytes, and the failures of writing to a disk.
    ///   The upload is not visible then.
    package func store(at key: ObjectKey) async throws -> Bool {
        try await offload {
            try self.seal()
            for _ in 0..<StoreFolder.maximumTries {
                if try self.uploads.folder.openObject(key) != nil {
                    let isSame = try self.hasSameBytes(as: key)
                    self.uploads.remove(self.name)
                    guard isSame else { throw Self.exists(key) }
                    return false
                }
                if try self.uploads.move(self.name, to: key) { return true }
            }
            throw notARegularFile(key.description)
        }
    }

    private static func exists(_ key: ObjectKey) -> Failure {
        Failure(
            .exists, path: key.description, "An object with this key and other bytes exists.",
            remedy: "It was not overwritten. Run filesinki check.")
    }

    /// Fills a slot with the upload, unless the slot is full.
    ///
    /// - Returns: Whether the slot has these bytes now.
    /// - Throws: As `Remote.publish` does.
    package func publish(to slot: ObjectKey) async throws -> Bool {
        try await offload {
            try self.seal()
            defer { self.uploads.remove(self.name) }
            return try SlotWriter(folder: self.uploads.folder).fill(slot, with: self)
        }
    }

    /// Makes the bytes durable, and ends writing.
    private func seal() throws(Failure) {
        let wasOver = state.withLock { state in
            defer { state.isOver = true }
            return state.isOver
        }
        guard !wasOver else { throw endedError }
        try reported("sync the file", name) { () throws(SystemError) in try file.sync() }
    }

    /// Whether the object at the key has the bytes of this upload. Reads both.
    func hasSameBytes(as key: ObjectKey) throws(Failure) -> Bool {
        guard let object = try uploads.folder.openObject(key), object.size == count else {
            return false
        }
        let piece = 1 << 18
        var offset: Int64 = 0
        while offset < object.size {
            let stored = try object.readNow(from: offset, count: piece)
            guard try bytes(from: offset, count: piece) == stored, !stored.isEmpty else {
                return false
            }
            offset += Int64(stored.count)
        }
        return true
    }

    private var endedError: Failure {
        Failure(
            .busy, path: name, "Another request ended the upload.",
            remedy: "Ask for its current length, and continue it.")
    }
}
