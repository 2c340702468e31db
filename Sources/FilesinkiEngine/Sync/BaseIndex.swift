import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

/// The base tree in memory: the manifest's rows, sorted by path.
///
/// Everything below a folder is one run of rows, because all paths that begin with `folder/` are
/// neighbours in byte order.
struct BaseIndex: BaseTree {
    let rows: [BaseRow]

    /// Sorts the rows in place: a copy of them would be the most that a run without a change needs.
    init(_ rows: consuming [BaseRow]) {
        var rows = rows
        let isSorted = rows.indices.dropFirst().allSatisfy { rows[$0 - 1].path < rows[$0].path }
        if !isSorted { rows.sort { $0.path < $1.path } }
        self.rows = rows
    }

    var count: Int { rows.count }

    /// The row of a path; nil when nothing was agreed on there.
    func row(_ path: RelativePath) -> BaseRow? {
        let index = firstIndex(notBefore: path.bytes)
        guard index < rows.count, rows[index].path == path else { return nil }
        return rows[index]
    }

    func entry(_ path: RelativePath) -> VersionedEntry? {
        row(path).map { VersionedEntry($0.entry, version: $0.version) }
    }

    /// The rows of everything below a folder, in path order.
    func rows(below folder: RelativePath) -> ArraySlice<BaseRow> {
        rows(beginning: folder.bytes + [UInt8(ascii: "/")])
    }

    /// The rows of paths of which none is in another, and of everything below them.
    func rows(atAndBelow paths: [RelativePath]) -> [BaseRow] {
        paths.flatMap { [row($0)].compactMap(\.self) + rows(below: $0) }
    }

    func paths(beginning prefix: [UInt8]) -> [RelativePath] { rows(beginning: prefix).map(\.path) }

    private func rows(beginning prefix: [UInt8]) -> ArraySlice<BaseRow> {
        guard let last = prefix.last, last < .max else { return [] }
        let end = Array(prefix.dropLast()) + [last + 1]
        return rows[firstIndex(notBefore: prefix)..<firstIndex(notBefore: end)]
    }

    private func firstIndex(notBefore bytes: [UInt8]) -> Int {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if compare(rows[middle].path.bytes, bytes) < 0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
