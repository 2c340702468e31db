import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Glibc

/// Reads one page of the objects of a store in the order of their keys. Opens only folders that can
/// contain a key of the page.
///
/// All names of such a folder are read for each page, 50 bytes of memory for each.
struct DirectoryListing {
    private let scope: KeyScope
    private let limit: Int
    private var found: [ObjectInfo] = []
    /// A folder is read again for so many of its names at least.
    private static let leastCandidates = 1000

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
        var last: [UInt8]?
        repeat {
            let next = try candidates(in: folder, below: path, after: last)
            for (name, key) in next.lowest {
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
            last = next.isWhole ? nil : next.lowest.last?.key
        } while last != nil
    }

    /// The first entries after `last` that are or can contain objects of the page, in key order: a folder
    /// sorts as its name with a slash.
    private func candidates(
        in folder: borrowing FileHandle, below path: [UInt8], after last: [UInt8]?
    ) throws(Failure) -> LowestKeys {
        // A page needs no more, but for slots that are empty.
        var result = LowestKeys(limit: max(limit - found.count, Self.leastCandidates))
        try forEachEntry(
            of: folder, String(decoding: path, as: UTF8.self),
            where: { scope.mayInclude($0, in: path) }
        ) { entry in
            guard entry.isFile || entry.isFolder,
                let key = scope.key(of: entry.name.utf8, in: path, isFolder: entry.isFolder),
                last?.lexicographicallyPrecedes(key) ?? true
            else { return }
            result.add(entry.name, key)
        }
        result.sort()
        return result
    }
}

/// The lowest keys of those that are added, at most so many.
private struct LowestKeys {
    private let limit: Int
    private(set) var lowest: [(name: String, key: [UInt8])] = []
    /// Whether none was left out.
    private(set) var isWhole = true

    init(limit: Int) { self.limit = limit }

    mutating func add(_ name: String, _ key: [UInt8]) {
        lowest.append((name, key))
        if lowest.count >= 2 * limit { sort() }
    }

    /// Sorts them, and leaves out those beyond the limit.
    mutating func sort() {
        lowest.sort { $0.key.lexicographicallyPrecedes($1.key) }
        guard lowest.count > limit else { return }
        lowest.removeSubrange(limit...)
        isWhole = false
    }
}
