import FilesinkiFileSystem
package import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

/// Reads and writes files of a root for programs that use the library: at once, also during a run,
/// and without the replica's lock. A run treats these writes as a user's edits.
package final class RootFiles: Sendable {
    private let root: RootFolder
    private let writer: TreeWriter
    private let systemContext: SystemContext
    /// Held while a file is replaced: two writers of one path must not be in its folder at once.
    private let isUpdating = Mutex(())

    /// The largest file that ``read(_:)`` returns, in bytes.
    package static let limit = 1 << 30

    /// Opens the root; creates it, and the state folder, if they do not exist.
    package init(_ options: ReplicaOptions) throws(Failure) {
        try StateFile.makeFolder(options.root)
        let state = options.stateFolder
        try StateFile.makeFolder(state.path)
        root = try RootFolder(path: options.root)
        let staging = try Staging(root: root, folder: state.saving)
        // On failure the next process tries again.
        try? staging.clearDead()
        writer = TreeWriter(root: root, staging: staging, sync: .each)
        systemContext = options.systemContext
    }

    /// Returns the file's bytes; nil if nothing is at the path.
    ///
    /// - Throws: Code `not-found` if it is not a regular file, `limit` if it is larger than
    ///   ``limit``.
    package func read(_ path: RelativePath) throws(Failure) -> [UInt8]? {
        try readFile(path)?.bytes
    }

    private func readFile(
        _ path: RelativePath
    ) throws(Failure) -> (bytes: [UInt8], status: FileStatus)? {
        guard let found = try root.status(path) else { return nil }
        guard found.kind == .file else {
            throw Failure(
                .notFound, path: path.bytes, "Not a regular file.",
                remedy: "Name a file, not a folder or a link.")
        }
        do throws(Failure) {
            return try root.readWhole(path, limit: Self.limit)
        } catch {
            // Deleted after its status was read.
            if error.code == .notFound { return nil }
            throw error
        }
    }

    /// Replaces the content of the file at the path atomically and durably, and creates missing parent
    /// folders. A content that a run or another program installs meanwhile is not replaced unread: it is
    /// passed to `change`, too.
    ///
    /// - Parameter change: Receives the present content, nil if nothing is at the path, and returns the
    ///   new one, nil to leave the file as it is. It is called again if the file changed meanwhile, and
    ///   must not update a file itself.
    /// - Returns: The content that `change` received last.
    /// - Throws: Code `exists` or `not-found` if the path is not a regular file, `limit` if the file is
    ///   larger than ``limit``, `changing` if another program keeps writing it.
    package func update(
        _ path: RelativePath, _ change: ([UInt8]?) -> [UInt8]?
    ) throws(Failure) -> [UInt8]? {
        try isUpdating.withLock { _ throws(Failure) in try updateAlone(path, change) }
    }

    private func updateAlone(
        _ path: RelativePath, _ change: ([UInt8]?) -> [UInt8]?
    ) throws(Failure) -> [UInt8]? {
        try writer.makeFolders(above: path)
        for _ in 0..<Self.writingTries {
            let found: (bytes: [UInt8], status: FileStatus)?
            do throws(Failure) {
                found = try readFile(path)
            } catch {
                if error.code == .changing { continue }
                throw error
            }
            guard let bytes = change(found?.bytes) else { return found?.bytes }
            let expected = found.map { Expectation.stamp($0.status.stamp) } ?? .absent
            if try install(bytes, at: path, expecting: expected) { return found?.bytes }
        }
        throw Failure(
            .changing, path: path.bytes, "The file kept changing while it was being replaced.",
            remedy: "Save again when the program that writes it is done.")
    }

    private static let writingTries = 10

    /// - Returns: False if the path was not as expected.
    private func install(
        _ bytes: [UInt8], at path: RelativePath, expecting expected: Expectation
    ) throws(Failure) -> Bool {
        let mode = try root.modeToKeep(at: path) ?? 0o644
        let staged = try writer.staging.makeFile()
        var failure: Failure?
        bytes.withUnsafeBytes { buffer in
            do throws(Failure) { try staged.write(buffer) } catch { failure = error }
        }
        if let failure { throw failure }
        try staged.finish(mode: mode, modified: systemContext.now(), sync: true)
        switch try writer.install(staged, at: path, expecting: expected) {
        case .done, .overtaken: return true
        case .surprised: return false
        }
    }

    /// Removes the file or link at the path.
    ///
    /// - Returns: Whether it was removed; false for a folder and for nothing.
    package func remove(_ path: RelativePath) throws(Failure) -> Bool {
        guard let found = try root.status(path), found.kind != .directory else { return false }
        guard case .done = try writer.remove(path, expecting: .any) else { return false }
        return true
    }
}
