/// Paths as a store keeps them: each without what it shares with the one before.
enum PathColumn {
    /// The column of `paths`, in their order.
    static func encode(_ paths: some Sequence<[UInt8]>) -> StoredPaths {
        var shared: [UInt32] = []
        var rest: [UInt32] = []
        var bytes: [UInt8] = []
        var last: [UInt8] = []
        for path in paths {
            let common = sharedLength(last, path)
            shared.append(UInt32(common))
            rest.append(UInt32(path.count - common))
            bytes += path[common...]
            last = path
        }
        var column = StoredPaths()
        column.shared = shared
        column.rest = rest
        column.bytes = field(bytes)
        return column
    }

    private static func sharedLength(_ left: [UInt8], _ right: [UInt8]) -> Int {
        let bound = min(left.count, right.count)
        var length = 0
        while length < bound, left[length] == right[length] { length += 1 }
        return length
    }

    /// The paths of a column; nil when the column does not fit together.
    ///
    /// - Parameters:
    ///   - count: How many paths there must be.
    ///   - limit: The most bytes that all paths may have together, so that a small column cannot
    ///     stand for a great deal of memory. Taken down by what was read.
    static func decode(_ column: StoredPaths, count: Int, limit: inout Int) -> [[UInt8]]? {
        guard column.shared.count == count, column.rest.count == count else { return nil }
        let bytes = array(column.bytes)
        var paths: [[UInt8]] = []
        paths.reserveCapacity(count)
        var last: [UInt8] = []
        var position = 0
        for (shared, rest) in zip(column.shared, column.rest) {
            let (shared, rest) = (Int(shared), Int(rest))
            guard shared <= last.count, rest <= bytes.count - position, shared + rest <= limit
            else { return nil }
            limit -= shared + rest
            last.removeSubrange(shared...)
            last += bytes[position..<(position + rest)]
            position += rest
            // A copy, so that the path has no more room than it needs.
            paths.append(last.withUnsafeBytes { Array($0) })
        }
        return position == bytes.count ? paths : nil
    }
}
