import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Glibc

/// One page of the objects below a folder, in the order of their keys, folder by folder: of the rest
/// of the store, however large, nothing is read.
struct DirectoryListing {
    private let scope: KeyScope
    private let limit: Int
    private var found: [ObjectInfo] = []

    init(prefix: String, after: ObjectKey?, limit: Int) {
        scope = KeyScope(prefix: prefix, after: after)
        self.limit = limit
    }

    mutating func run(in folder: StoreFolder) throws(Failure) -> [ObjectInfo] {
        guard limit > 0, let start = scope.start else { return [] }
        let path = String(decoding: start.dropLast(), as: UTF8.self)
        let names = path.split(separator: "/").map(String.init)
        guard let top = try folder.descend(names[...], path) else { return [] }
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
                    // Deleted, or replaced by what is not the store's, since its name was read.
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

    /// The names that can lead to wanted keys, in the keys' order: a folder stands where its name with
    /// a slash does.
    private func candidates(
        in folder: borrowing FileHandle, below path: [UInt8]
    ) throws(Failure) -> [(name: String, key: [UInt8])] {
        var result: [(name: String, key: [UInt8])] = []
        for entry in try names(in: folder, String(decoding: path, as: UTF8.self)) {
            guard entry.isFile || entry.isFolder, !entry.name.hasPrefix("."),
                path.count + entry.name.utf8.count <= ObjectKey.maximumLength
            else { continue }
            let key = path + entry.name.utf8 + (entry.isFolder ? [UInt8(ascii: "/")] : [])
            if entry.isFolder ? scope.mayBeIn(key) : scope.wants(key) {
                result.append((entry.name, key))
            }
        }
        return result.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }
}
