package import FilesinkiModel
import FilesinkiSystem
internal import Glibc

/// A regular file that is read piece by piece at the caller's own pace.
package final class FileReader {
    private let path: RelativePath
    private let content: OpenContent
    private var total: Int64 = 0

    init(path: RelativePath, content: consuming OpenContent) {
        self.path = path
        self.content = content
    }

    /// The next bytes, up to `count`; nil at the end.
    package func next(_ count: Int = 1 << 20) throws(Failure) -> [UInt8]? {
        var failed: SystemError?
        let piece = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(SystemError) {
                filled = try content.file.read(into: UnsafeMutableRawBufferPointer(buffer))
            } catch { failed = error }
        }
        if let failed { throw failed.failure("read it", path) }
        total += Int64(piece.count)
        return piece.isEmpty ? nil : piece
    }

    /// Says what was read, once ``next(_:)`` has come to the end.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` with code `changing` when the file changed meanwhile.
    package func finish() throws(Failure) -> FileStatus {
        let after: FileStatus
        do { after = try content.file.status() } catch { throw error.failure("examine it", path) }
        guard after == content.before, total == after.stamp.size else {
            throw Failure(
                .changing, path: path.bytes, "The file changed while it was read.",
                remedy: "Run again when the program that writes it has finished.")
        }
        return content.shown
    }
}

extension RootFolder {
    /// Opens a regular file for reading piece by piece.
    package func reader(_ path: RelativePath) throws(Failure) -> FileReader {
        FileReader(path: path, content: try openContent(path))
    }

    /// The names of everything directly inside a folder, in no particular order.
    package func names(in path: RelativePath) throws(Failure) -> [[UInt8]] {
        guard let folder = FileHandle(openBeneath(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)) else {
            throw SystemError.last.failure(opening: path)
        }
        do {
            let listing = try FolderListing(folder)
            return listing.entries.map { Array(listing.name($0)) }
        } catch { throw error.failure("read it", path) }
    }
}
