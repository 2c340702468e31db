import FilesinkiFileSystem
package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// Reads and writes files of a root for programs that use the library: at once, also during a run,
/// and without the replica's lock. A run treats these writes as a user's edits.
package final class RootFiles: Sendable {
    private let root: RootFolder
    private let writer: TreeWriter
    private let systemContext: SystemContext

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
        guard let found = try root.status(path) else { return nil }
        guard found.kind == .file else {
            throw Failure(
                .notFound, path: path.bytes, "Not a regular file.",
                remedy: "Name a file, not a folder or a link.")
        }
        do throws(Failure) {
            return try root.readWhole(path, limit: Self.limit).bytes
        } catch {
            // Deleted after its status was read.
            if error.code == .notFound { return nil }
            throw error
        }
    }

    /// Replaces the file at the path atomically and durably, and creates missing parent folders.
    ///
    /// - Throws: Code `exists` if the path is a folder, `changing` if another program keeps writing
    ///   it.
    package func write(_ bytes: [UInt8], to path: RelativePath) throws(Failure) {
        try writer.makeFolders(above: path)
        for _ in 0..<Self.writingTries where try install(bytes, at: path) { return }
        throw Failure(
            .changing, path: path.bytes, "The file kept changing while it was being replaced.",
            remedy: "Save again when the program that writes it is done.")
    }

    private static let writingTries = 10

    private func install(_ bytes: [UInt8], at path: RelativePath) throws(Failure) -> Bool {
        let mode = try root.modeToKeep(at: path) ?? 0o644
        let staged = try writer.staging.makeFile()
        var failure: Failure?
        bytes.withUnsafeBytes { buffer in
            do throws(Failure) { try staged.write(buffer) } catch { failure = error }
        }
        if let failure { throw failure }
        try staged.finish(mode: mode, modified: systemContext.now(), sync: true)
        guard case .done = try writer.install(staged, at: path, expecting: .any) else {
            return false
        }
        return true
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
