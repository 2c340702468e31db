import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiModel

extension RootFolder {
    /// The content ID of a file, read piece by piece; of a live database that of its snapshot.
    ///
    /// - Throws: What ``FilesinkiFileSystem/RootFolder/readChunks(_:bufferSize:_:)`` throws.
    func content(of path: RelativePath) throws -> ContentID {
        var hasher = ContentHasher()
        _ = try readChunks(path, bufferSize: 1 << 20) { hasher.update($0) }
        return hasher.finish()
    }
}
