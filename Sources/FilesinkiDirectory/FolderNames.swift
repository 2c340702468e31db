import FilesinkiModel
import Glibc

/// A name in a folder, with what the folder says of its kind.
struct FolderName {
    var name: String
    var isFolder: Bool
    var isFile: Bool
}

/// The names in a folder that are UTF-8, in no order; those of a store all are.
///
/// - Throws: `Failure` when the folder cannot be read to its end: a part is never taken for all.
func names(in folder: borrowing Descriptor, _ path: String) throws(Failure) -> [FolderName] {
    guard let own = folder.open(".", O_RDONLY | O_DIRECTORY) else {
        if errno == ENOENT { return [] }
        throw failure(errno, "The folder could not be opened", path)
    }
    let copy = fcntl(own.number, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0, let stream = fdopendir(copy) else {
        let error = errno
        close(copy)
        throw failure(error, "The folder could not be opened", path)
    }
    defer { closedir(stream) }
    var result: [FolderName] = []
    while true {
        errno = 0
        guard let entry = readdir(stream) else { break }
        if let name = name(of: entry, in: folder) { result.append(name) }
    }
    guard errno == 0 else { throw failure(errno, "The folder could not be read", path) }
    return result
}

private func name(
    of entry: UnsafeMutablePointer<dirent>, in folder: borrowing Descriptor
) -> FolderName? {
    let bytes = UnsafeRawPointer(entry).advanced(by: MemoryLayout<dirent>.offset(of: \.d_name) ?? 0)
    let text = bytes.assumingMemoryBound(to: CChar.self)
    guard let name = String(validatingCString: text), name != ".", name != ".." else { return nil }
    let type = Int(entry.pointee.d_type)
    if type != Int(DT_UNKNOWN) {
        return FolderName(name: name, isFolder: type == Int(DT_DIR), isFile: type == Int(DT_REG))
    }
    guard let status = folder.status(of: name) else { return nil }
    return FolderName(name: name, isFolder: status.isFolder, isFile: status.isRegularFile)
}
