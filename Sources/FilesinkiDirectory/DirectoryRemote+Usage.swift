import FilesinkiModel
import FilesinkiSystem
import Glibc

extension DirectoryRemote {
    /// How many bytes all files of the folder have, also the unfinished ones.
    ///
    /// - Throws: `Failure`: `away`, `not-allowed`, `io`.
    package func usedBytes() async throws -> Int64 {
        try await offload { try usedBytes(in: try folder.open(), depth: 0) }
    }

    private func usedBytes(
        in top: borrowing FileHandle, depth: Int
    ) throws(Failure) -> Int64 {
        var sum: Int64 = 0
        for entry in try names(in: top, folder.path) {
            if entry.isFile, let status = top.status(of: entry.name) {
                sum += max(0, Int64(status.st_size))
            } else if entry.isFolder, depth < Self.deepest,
                let next = try? top.open(entry.name, O_RDONLY | O_DIRECTORY)
            {
                sum += try usedBytes(in: next, depth: depth + 1)
            }
        }
        return sum
    }

    /// No key has more names: each takes two bytes.
    private static var deepest: Int { 256 }
}
