package import FilesinkiModel
import Glibc

/// The tree as of the last scan, indexed so that a scan finds each folder's children without an
/// allocation: the rows, and for every folder the numbers of its children sorted by name.
///
/// Sorted rows are shared with the caller. The index takes about 20 bytes for each row beside them.
package struct BaseSnapshot: Sendable {
    /// All rows, sorted by the bytes of the path, without duplicates.
    package let rows: [BaseRow]
    /// The children of all folders, folder after folder.
    private let children: [Int32]
    /// The range of each folder in `children`; the root's key is ``rootKey``.
    private let ranges: [[UInt8]: Range<Int>]
    /// The names of `children`, concatenated, and the start of each.
    let names: [UInt8]
    let nameStarts: [UInt32]
    /// The folders that contain rows but have no row of their own, except the root.
    let unlistedFolders: Set<[UInt8]>

    private static let rootKey: [UInt8] = []

    /// Builds the index. O(n) if the rows are sorted by path, else O(n log n).
    package init(_ rows: [BaseRow]) {
        self.rows = Self.sorted(rows)
        let layout = Layout(self.rows)
        children = layout.children
        ranges = layout.ranges
        names = layout.names
        nameStarts = layout.nameStarts
        var unlisted = Set(layout.ranges.keys)
        unlisted.remove(Self.rootKey)
        for row in self.rows where row.entry.kind == .directory {
            unlisted.remove(row.path.bytes)
        }
        unlistedFolders = unlisted
    }

    /// The slots of a folder's children. The root's path is empty.
    func slots(of folder: [UInt8]) -> Range<Int> { ranges[folder] ?? 0..<0 }

    /// The row in a slot.
    func row(at slot: Int) -> Int { Int(children[slot]) }

    /// The name of the row in a slot.
    func name(at slot: Int) -> ArraySlice<UInt8> {
        names[Int(nameStarts[slot])..<Int(nameStarts[slot + 1])]
    }

    /// The slot of `name` among `slots`, by binary search.
    func slot(of name: UnsafeRawBufferPointer, among slots: Range<Int>) -> Int? {
        names.withUnsafeBytes { names in
            nameStarts.withUnsafeBufferPointer { starts in
                var low = slots.lowerBound
                var high = slots.upperBound
                while low < high {
                    let middle = (low + high) / 2
                    let range = Int(starts[middle])..<Int(starts[middle + 1])
                    let order = compare(UnsafeRawBufferPointer(rebasing: names[range]), name)
                    if order == 0 { return middle }
                    if order < 0 { low = middle + 1 } else { high = middle }
                }
                return nil
            }
        }
    }

    private static func sorted(_ rows: [BaseRow]) -> [BaseRow] {
        let isSorted = zip(rows, rows.dropFirst()).allSatisfy { left, right in
            compare(left.path.bytes, right.path.bytes) < 0
        }
        if isSorted { return rows }
        var result: [BaseRow] = []
        result.reserveCapacity(rows.count)
        for row in rows.sorted(by: { compare($0.path.bytes, $1.path.bytes) < 0 })
        where result.last?.path != row.path {
            result.append(row)
        }
        return result
    }
}

/// The children of each folder, by counting sort over the sorted rows. The children of one folder
/// stay sorted by name, because they share everything before it.
private struct Layout {
    var children: [Int32]
    var ranges: [[UInt8]: Range<Int>] = [:]
    var names: [UInt8] = []
    var nameStarts: [UInt32] = []

    init(_ rows: [BaseRow]) {
        children = [Int32](repeating: 0, count: rows.count)
        let folders = FolderNumbers(rows)
        var next = folders.starts
        for (row, folder) in folders.ofRow.enumerated() {
            children[next[Int(folder)]] = Int32(truncatingIfNeeded: row)
            next[Int(folder)] += 1
        }
        for (key, folder) in folders.numbers {
            ranges[key] = folders.starts[folder]..<folders.starts[folder + 1]
        }
        nameStarts.reserveCapacity(rows.count + 1)
        for row in children {
            nameStarts.append(UInt32(truncatingIfNeeded: names.count))
            names.append(contentsOf: rows[Int(row)].path.name)
        }
        nameStarts.append(UInt32(truncatingIfNeeded: names.count))
    }
}

/// Numbers the folders that contain rows.
private struct FolderNumbers {
    /// The number of each folder; the root's key is empty.
    var numbers: [[UInt8]: Int] = [:]
    /// The number of each row's folder.
    var ofRow: [Int32] = []
    /// The start of each folder's children, and the end of the last.
    var starts: [Int] = []

    init(_ rows: [BaseRow]) {
        var counts: [Int] = []
        var last: (key: ArraySlice<UInt8>, number: Int)?
        ofRow.reserveCapacity(rows.count)
        for row in rows {
            let key = Self.folder(of: row.path.bytes)
            let number: Int
            if let last, compare(key, last.key) == 0 {
                number = last.number
            } else {
                number = self.number(of: Array(key), &counts)
            }
            last = (key, number)
            counts[number] += 1
            ofRow.append(Int32(truncatingIfNeeded: number))
        }
        var start = 0
        for count in counts {
            starts.append(start)
            start += count
        }
        starts.append(start)
    }

    private mutating func number(of key: [UInt8], _ counts: inout [Int]) -> Int {
        if let number = numbers[key] { return number }
        numbers[key] = counts.count
        counts.append(0)
        return counts.count - 1
    }

    private static func folder(of path: [UInt8]) -> ArraySlice<UInt8> {
        guard let cut = path.lastIndex(of: UInt8(ascii: "/")) else { return [] }
        return path[..<cut]
    }
}
