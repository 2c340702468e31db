import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Glibc

/// Reads one page of the objects of a store in the order of their keys. Opens only folders that can
/// contain a key of the page.
struct DirectoryListing {
    private let scope: KeyScope
    private let limit: Int
    private var found: [ObjectInfo] = []

    init(prefix: String, after: ObjectKey?, limit: Int) {
        scope = KeyScope(prefix: prefix, after: after)
        self.limit = limit
    }

    mutating func readPage(in folder: StoreFolder) throws(Failure) -> [ObjectInfo] {
        guard limit > 0, let start = scope.start else { return [] }
        let path = String(decoding: start.dropLast(), as: UTF8.self)
        let names = path.split(separator: "/").map(String.init)
        guard let top = try folder.openFolder(names[...], for: path) else { return [] }
        try walk(top, below: start)
        return found
    }

    private mutating func walk(
        _ folder: borrowing FileHandle, below path: [UInt8]
    ) throws(Failure) {
        for (name, key) in try candidates(in: folder, below: path) {
            if found.count >= limit { return }
            if key.last == UInt8(ascii: "/") {
                let next: FileHandle
                do { next = try folder.open(name, O_RDONLY | O_DIRECTORY) } catch {
                    // Deleted or replaced since its name was read.
                    if error.isMissing || error.number == ELOOP { continue }
                    throw error.failure("open the folder", key, of: .store)
                }
                try walk(next, below: key)
            } else if let key = try? ObjectKey(String(decoding: key, as: UTF8.self)),
                let status = folder.status(of: name), status.isRegularFile
            {
                found.append(ObjectInfo(key: key, size: Int64(status.st_size)))
            }
        }
    }

    /// The entries that are or can contain objects of the page, in key order: a folder sorts as its name
    /// with a slash.
    private func candidates(
        in folder: borrowing FileHandle, below path: [UInt8]
    ) throws(Failure) -> [(name: String, key: [UInt8])] {
        var result: [(name: String, key: [UInt8])] = []
        let wanted = try entries(of: folder, String(decoding: path, as: UTF8.self)) {
            scope.mayInclude($0, in: path)
        }
        for entry in wanted where entry.isFile || entry.isFolder {
            if let key = scope.key(of: entry.name.utf8, in: path, isFolder: entry.isFolder) {
                result.append((entry.name, key))
            }
        }
        return result.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }
}
