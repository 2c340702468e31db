import FilesinkiModel
import FilesinkiSystem
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
func names(in folder: borrowing FileHandle, _ path: String) throws(Failure) -> [FolderName] {
    do throws(SystemError) {
        let listing = try FolderListing(try folder.open(".", O_RDONLY | O_DIRECTORY))
        return listing.entries.compactMap { entry in
            guard let name = String(validating: listing.name(entry), as: UTF8.self) else {
                return nil
            }
            return FolderName(
                name: name, isFolder: listing.isFolder(entry, in: folder),
                isFile: listing.isRegularFile(entry, in: folder))
        }
    } catch {
        if error.number == ENOENT { return [] }
        throw error.failure("read the folder", inStore: path)
    }
}
