import FilesinkiFileSystem
import FilesinkiModel

/// Finds where in the root, outside of the chosen paths of a partial replica, that is which is gone from these.
///
/// A file is found by its inode, also edited, and in a folder that is found by its inode, also where a program has replaced it; else
/// by its content. One that was renamed by itself and whose inode and content are both new is not found.
///
/// Cost: a look at as many files and folders as the limit says, and the reading of those whose size is that of a file that is not
/// found yet and whose name is another one.
struct MovedOutSearch {
    /// The most files and folders that are looked at.
    private static let limit = 10_000
    /// Of larger files, in bytes, an equal size is enough.
    private static let largestRead: Int64 = 64 << 20

    private let root: RootFolder
    /// What is gone.
    private let lost: [RelativePath: BaseRow]
    private let byInode: [UInt64: BaseRow]
    /// Where each of these is that was found.
    private(set) var places: [RelativePath: MovedOutPlace] = [:]
    /// Other files that were seen, with their sizes.
    private var others: [(path: RelativePath, size: Int64)] = []

    /// - Parameter lost: The rows of what is gone, each path once.
    init(_ root: RootFolder, lost: [BaseRow]) {
        self.root = root
        self.lost = Dictionary(lost.map { ($0.path, $0) }) { first, _ in first }
        byInode = Dictionary(lost.compactMap { row in row.stamp.map { ($0.inode, row) } }) {
            first, _ in first
        }
    }

    /// Looks at some paths and at what is below them.
    mutating func look(at paths: [RelativePath]) throws {
        guard !lost.isEmpty else { return }
        try walk(paths)
        try followFolders()
        try compareContents()
        others = []
    }

    private mutating func walk(_ paths: [RelativePath]) throws {
        var left = Self.limit
        var waiting = paths
        while let path = waiting.popLast(), left > 0, places.count < lost.count {
            left -= 1
            guard let status = try root.status(path) else { continue }
            if let row = byInode[status.stamp.inode], let stamp = row.stamp,
                row.entry.kind == status.kind.entryKind,
                root.isSameFile(path, status, as: stamp, named: row.path.name)
            {
                places[row.path] = MovedOutPlace(path: path, isCopy: false)
            } else if status.kind == .file, status.stamp.size > 0 {
                others.append((path, status.stamp.size))
            }
            if status.kind == .directory {
                // One that cannot be read is nothing that a run has to read.
                let names = (try? root.names(in: path)) ?? []
                waiting += names.map { path.appending($0) }
            }
        }
    }

    /// What was in a folder that was found is in it still, if something of its kind has its name.
    private mutating func followFolders() throws {
        for (path, row) in lost where places[path] == nil {
            guard let folder = path.ancestors.first(where: { places[$0] != nil }),
                lost[folder]?.entry.kind == .directory, let place = places[folder]?.path,
                let moved = path.moved(from: folder, to: place),
                let status = try root.statusIfThere(moved),
                status.kind.entryKind == row.entry.kind
            else { continue }
            places[path] = MovedOutPlace(path: moved, isCopy: false)
        }
    }

    private mutating func compareContents() throws {
        let taken = Set(places.values.map(\.path))
        var files: [Int64: [BaseRow]] = [:]
        for row in lost.values where row.entry.kind == .file && places[row.path] == nil {
            files[row.entry.size, default: []].append(row)
        }
        for other in others where !taken.contains(other.path) {
            guard let rows = files[other.size], let row = try equal(other.path, among: rows)
            else { continue }
            places[row.path] = MovedOutPlace(path: other.path, isCopy: true)
            files[other.size] = rows.filter { $0.path != row.path }
        }
    }

    /// The file among some of a path's size that was copied there. What cannot be read may be it.
    private func equal(_ path: RelativePath, among rows: [BaseRow]) throws -> BaseRow? {
        if let row = rows.first(where: { $0.path.name == path.name }) { return row }
        guard let first = rows.first, first.entry.size <= Self.largestRead else {
            return rows.first
        }
        do {
            let content = try root.content(of: path)
            return rows.first { $0.entry.content == content }
        } catch let failure as Failure {
            return failure.code == .notFound ? nil : first
        }
    }
}

/// Where something is that was moved out of the chosen paths.
struct MovedOutPlace: Hashable {
    let path: RelativePath
    /// Whether another file has its content.
    let isCopy: Bool
}
