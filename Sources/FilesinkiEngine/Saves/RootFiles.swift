import FilesinkiFileSystem
package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// The files of a root as a program that uses the library reads and writes them: at once, also while a
/// run is at work, and as safely as any user's save is.
package final class RootFiles: Sendable {
    private let root: RootFolder
    private let writer: TreeWriter
    private let systemContext: SystemContext

    /// The most bytes that a file may have that is read.
    package static let limit = 1 << 30

    /// Makes the root if it is not there.
    package init(_ options: ReplicaOptions) throws(Failure) {
        try StateFile.makeFolder(options.root)
        let state = options.stateFolder
        try StateFile.makeFolder(state.path)
        root = try RootFolder(path: options.root)
        let staging = try Staging(root: root, folder: state.saving)
        // What cannot be put right now is tried again by the next process.
        try? staging.clearDead()
        writer = TreeWriter(root: root, staging: staging, sync: .each)
        systemContext = options.systemContext
    }

    /// The file's bytes; nil when nothing is there.
    ///
    /// - Throws: Code `not-found` when it is no file, `limit` when it is larger than ``limit``.
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
            // Deleted since it was looked at.
            if error.code == .notFound { return nil }
            throw error
        }
    }

    /// Puts bytes at the path, whole and durably, and makes the folders that it needs.
    ///
    /// - Throws: Code `exists` when a folder is there, `changing` when somebody else keeps writing it.
    package func write(_ bytes: [UInt8], to path: RelativePath) throws(Failure) {
        try writer.makeFolders(above: path)
        for _ in 0..<Self.writingTries where try install(bytes, at: path) { return }
        throw Failure(
            .changing, path: path.bytes, "It kept changing while it was to be written.",
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

    /// Removes the file at the path.
    ///
    /// - Returns: Whether there was one.
    package func remove(_ path: RelativePath) throws(Failure) -> Bool {
        guard let found = try root.status(path), found.kind != .directory else { return false }
        guard case .done = try writer.remove(path, expecting: .any) else { return false }
        return true
    }
}
