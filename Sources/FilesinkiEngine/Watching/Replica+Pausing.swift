import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiSystem
import Glibc

extension Replica {
    /// Lets other processes at the replica until ``resume()``.
    package func pause() { hold(nil) }

    /// Goes on after a pause.
    ///
    /// - Returns: Whether the replica is the one it was. When it is not, because another process set it
    ///   up anew, it has to be closed and opened again.
    /// - Throws: As ``open(_:writable:)`` does.
    package func resume() async throws -> Bool {
        hold(
            try await ReplicaLock.take(
                state.lock, waiting: options.lockWait, sleep: systemContext.sleep))
        guard try isUnchanged() else {
            hold(nil)
            return false
        }
        try Staging(root: root, folder: state.staging).clear()
        return true
    }

    private func isUnchanged() throws -> Bool {
        guard let present = try Self.readConfig(state), present.text == config.text,
            let manifest = FileStamp(at: state.manifest, followingSymlinks: true),
            manifestStamp?.isSameInode(as: manifest) == true,
            let root = FileStamp(at: options.root, followingSymlinks: true),
            rootStamp?.isSameInode(as: root) == true
        else { return false }
        return try config.checkMarker(of: self.root) == .ok
    }
}
