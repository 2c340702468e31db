import Glibc

/// A file system in memory that a test mounts over folders and unmounts again; all of it goes with the
/// value.
package final class MemoryDisk: Sendable {
    private let folder: String

    private static let bind: UInt = 4096

    /// Nil, with a word, where only root may mount.
    ///
    /// - Parameter folder: An empty folder for the disk itself; made when it is not there.
    package init?(at folder: String) {
        mkdir(folder, 0o755)
        self.folder = folder
        guard mount("tmpfs", folder, "tmpfs", 0, "size=4m,mode=755") == 0 else {
            print("left out: only root may mount a disk")
            return nil
        }
    }

    deinit { umount2(folder, Int32(MNT_DETACH)) }

    /// Shows the disk's content in another folder, too, and while `body` runs.
    package func shown<Result>(
        at place: String, _ body: () async throws -> Result
    ) async throws -> Result {
        guard mount(folder, place, nil, Self.bind, nil) == 0 else {
            throw FixtureFailure("mount", place, errno)
        }
        defer { umount2(place, Int32(MNT_DETACH)) }
        return try await body()
    }
}
