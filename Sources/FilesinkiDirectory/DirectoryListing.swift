import FilesinkiModel
import FilesinkiRemote
import Glibc

/// One page of the objects below a folder, in the order of their keys, folder by folder: of the rest
/// of the store, however large, nothing is read.
struct DirectoryListing {
    private let prefix: [UInt8]
    private let after: [UInt8]
    private let limit: Int
    private var found: [ObjectInfo] = []

    init(prefix: String, after: ObjectKey?, limit: Int) {
        self.prefix = Array(prefix.utf8)
        self.after = after.map { Array($0.description.utf8) } ?? []
        self.limit = limit
    }

    mutating func run(in folder: StoreFolder) throws(Failure) -> [ObjectInfo] {
        // The prefix's whole names are folders that need not be searched for.
        let start = prefix.lastIndex(of: UInt8(ascii: "/")).map { prefix[...$0] } ?? []
        let names = String(decoding: start, as: UTF8.self).split(separator: "/").map(String.init)
        guard limit > 0, start.isEmpty || (try? ObjectKey(names.joined(separator: "/"))) != nil,
            let top = try folder.descend(names[...], names.joined(separator: "/"))
        else { return [] }
        try walk(top, below: Array(start))
        return found
    }

    private mutating func walk(
        _ folder: borrowing Descriptor, below path: [UInt8]
    ) throws(Failure) {
        for (name, key) in try candidates(in: folder, below: path) {
            if found.count >= limit { return }
            if key.last == UInt8(ascii: "/") {
                guard let next = folder.open(name, O_RDONLY | O_DIRECTORY) else {
                    // Deleted, or replaced by what is not the store's, since its name was read.
                    if errno == ENOENT || errno == ENOTDIR || errno == ELOOP { continue }
                    let text = String(decoding: key, as: UTF8.self)
                    throw failure(errno, "The folder could not be opened", text)
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
        in folder: borrowing Descriptor, below path: [UInt8]
    ) throws(Failure) -> [(name: String, key: [UInt8])] {
        var result: [(name: String, key: [UInt8])] = []
        for entry in try names(in: folder, String(decoding: path, as: UTF8.self)) {
            guard entry.isFile || entry.isFolder, !entry.name.hasPrefix("."),
                path.count + entry.name.utf8.count <= ObjectKey.maximumLength
            else { continue }
            let key = path + entry.name.utf8 + (entry.isFolder ? [UInt8(ascii: "/")] : [])
            if entry.isFolder ? mayHold(key) : isWanted(key) { result.append((entry.name, key)) }
        }
        return result.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    private func isWanted(_ key: [UInt8]) -> Bool {
        key.starts(with: prefix) && after.lexicographicallyPrecedes(key)
    }

    private func mayHold(_ folder: [UInt8]) -> Bool {
        (folder.starts(with: prefix) || prefix.starts(with: folder))
            && (after.lexicographicallyPrecedes(folder) || after.starts(with: folder))
    }
}
