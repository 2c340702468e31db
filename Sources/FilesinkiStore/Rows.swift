package import FilesinkiModel

/// One row of a commit or a checkpoint. Only the path has been checked.
struct Row {
    var path: [UInt8]
    var entry: Entry
    /// In a commit the version that the change is based on, in a checkpoint the version that set
    /// the entry.
    var version: UInt64
}

/// A row that was left out, and the reason.
package struct RefusedRow: Sendable {
    /// The path as it was stored; it may be invalid. Display it through
    /// ``FilesinkiModel/printable(_:)``.
    package var path: [UInt8]
    package var failure: Failure

    package init(path: [UInt8], failure: Failure) {
        self.path = path
        self.failure = failure
    }

    init(_ path: [UInt8], _ message: String) {
        self.init(
            path: path,
            failure: Failure(
                .corrupt, path: path, message,
                remedy: "The rest is applied; find out which device wrote this."))
    }
}

/// Encodes rows as columns.
enum RowsEncoder {
    /// In `kinds`: the row has an element in `contents`.
    static let hasContent: UInt8 = 0x10
    /// In `kinds`: the row has an element in `targets`.
    static let hasTarget: UInt8 = 0x20
    /// In `kinds`: the kind, and the bits that must be 0.
    static let kindMask: UInt8 = 0xCF

    /// Encodes rows in their order.
    static func encode(_ rows: some Collection<Row>) -> StoredRows {
        var columns = StoredRows()
        columns.count = UInt32(clamping: rows.count)
        columns.paths = PathColumn.encode(rows.lazy.map(\.path))
        columns.modes = rows.map { UInt32($0.entry.mode) }
        columns.sizes = rows.map { UInt64(clamping: $0.entry.size) }
        columns.versions = rows.map(\.version)
        columns.nanoseconds = rows.map { UInt32($0.entry.modified.remainder) }
        columns.seconds = differences(rows.map(\.entry.modified.seconds))
        encodeKinds(rows, into: &columns)
        return columns
    }

    private static func differences(_ values: [Int64]) -> [Int64] {
        var last: Int64 = 0
        return values.map { value in
            defer { last = value }
            return value &- last
        }
    }

    private static func encodeKinds(
        _ rows: some Collection<Row>, into columns: inout StoredRows
    ) {
        var kinds: [UInt8] = []
        var contents: [UInt8] = []
        kinds.reserveCapacity(rows.count)
        contents.reserveCapacity(rows.count * ContentID.byteCount)
        for row in rows {
            var kind = row.entry.kind.rawValue
            if row.entry.kind == .file {
                kind |= hasContent
                row.entry.content.withBytes { contents.append(contentsOf: $0) }
            } else if row.entry.kind == .symlink {
                kind |= hasTarget
                columns.targets.append(field(row.entry.target))
            }
            kinds.append(kind)
        }
        columns.kinds = field(kinds)
        columns.contents = field(contents)
    }
}

/// Decodes columns into rows, one after the other. Columns that do not match each other make the
/// record invalid; an invalid row is refused by itself.
struct RowsDecoder: Sendable {
    private let columns: StoredRows
    private let kinds: [UInt8]
    private let contents: [UInt8]
    private var paths: PathColumn.Decoder
    /// The number of the next row.
    private var position = 0
    private var contentPosition = 0
    private var targetPosition = 0
    private var seconds: Int64 = 0

    /// The maximum length of a symlink's target, in bytes.
    static let maximumTargetLength = 4095

    /// - Parameters:
    ///   - maximumCount: The maximum number of rows.
    ///   - pathLimit: See ``PathColumn/Decoder``.
    /// - Returns: nil when the columns do not match each other.
    init?(_ columns: StoredRows, maximumCount: Int, pathLimit: inout Int) {
        let count = Int(columns.count)
        guard count <= maximumCount, columns.modes.count == count, columns.seconds.count == count,
            columns.nanoseconds.count == count, columns.sizes.count == count,
            columns.versions.count == count, columns.kinds.count == count,
            let paths = PathColumn.Decoder(columns.paths, count: count, limit: &pathLimit)
        else { return nil }
        self.columns = columns
        self.paths = paths
        kinds = array(columns.kinds)
        contents = array(columns.contents)
        let withContent = kinds.count { $0 & RowsEncoder.hasContent != 0 }
        let withTarget = kinds.count { $0 & RowsEncoder.hasTarget != 0 }
        guard contents.count == withContent * ContentID.byteCount,
            columns.targets.count == withTarget
        else { return nil }
    }

    /// The number of rows, including invalid ones.
    var count: Int { kinds.count }

    /// Whether all rows were decoded.
    var isAtEnd: Bool { position == kinds.count }

    /// Calls `accept` with each valid row and `refuse` with each invalid one, beginning where the
    /// last call ended.
    ///
    /// - Parameter limit: The most rows of this call, including invalid ones.
    mutating func forEachRow(
        atMost limit: Int = .max,
        _ accept: (_ index: Int, _ path: RelativePath, _ row: Row) -> Void,
        refuse: (RefusedRow) -> Void
    ) {
        for index in position..<(position + min(limit, kinds.count - position)) {
            seconds &+= columns.seconds[index]
            let content = nextContent(kinds[index])
            let target = nextTarget(kinds[index])
            let bytes = paths.next()
            do throws(Failure) {
                let path = try RelativePath(bytes)
                accept(index, path, try row(index, bytes, content: content, target: target))
            } catch {
                refuse(RefusedRow(path: bytes, failure: error))
            }
            position = index + 1
        }
    }

    private mutating func nextContent(_ kind: UInt8) -> ContentID? {
        guard kind & RowsEncoder.hasContent != 0 else { return nil }
        defer { contentPosition += ContentID.byteCount }
        return ContentID(contents[contentPosition..<(contentPosition + ContentID.byteCount)])
    }

    private mutating func nextTarget(_ kind: UInt8) -> [UInt8]? {
        guard kind & RowsEncoder.hasTarget != 0 else { return nil }
        defer { targetPosition += 1 }
        return array(columns.targets[targetPosition])
    }

    private func row(
        _ index: Int, _ path: [UInt8], content: ContentID?, target: [UInt8]?
    ) throws(Failure) -> Row {
        guard let kind = Entry.Kind(rawValue: kinds[index] & RowsEncoder.kindMask) else {
            throw refused(path, "The entry is of an unknown kind.")
        }
        guard columns.nanoseconds[index] <= 999_999_999 else {
            throw refused(path, "The entry has an invalid time.")
        }
        let modified = Timestamp(
            seconds: seconds, nanoseconds: Int64(columns.nanoseconds[index]))
        // An entry drops all but the permission bits.
        let mode = UInt16(truncatingIfNeeded: columns.modes[index])
        let entry: Entry
        switch kind {
        case .file:
            guard let content, let size = Int64(exactly: columns.sizes[index]) else {
                throw refused(path, "The file has no content or an invalid size.")
            }
            entry = .file(content, size: size, mode: mode, modified: modified)
        case .directory:
            entry = .directory(mode: mode, modified: modified)
        case .symlink:
            guard let target, (1...Self.maximumTargetLength).contains(target.count),
                !target.contains(0)
            else { throw refused(path, "The symlink has an invalid target.") }
            entry = .symlink(to: target, modified: modified)
        case .tombstone:
            // The time of the deletion, if the writer stored it.
            entry = Entry(kind: .tombstone, modified: modified)
        }
        return Row(path: path, entry: entry, version: columns.versions[index])
    }

    private func refused(_ path: [UInt8], _ message: String) -> Failure {
        RefusedRow(path, message).failure
    }
}

/// Encodes and decodes paths; each is stored without the prefix that it shares with the one before.
enum PathColumn {
    /// Encodes paths in their order.
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

    /// Decodes a column; nil when it is inconsistent. See ``Decoder``.
    static func decode(_ column: StoredPaths, count: Int, limit: inout Int) -> [[UInt8]]? {
        guard var decoder = Decoder(column, count: count, limit: &limit) else { return nil }
        return (0..<count).map { _ in decoder.next() }
    }

    /// Decodes a column path by path.
    struct Decoder: Sendable {
        private let column: StoredPaths
        private let bytes: [UInt8]
        private var last: [UInt8] = []
        private var index = 0
        private var position = 0

        /// Verifies the whole column; nil when it is inconsistent.
        ///
        /// - Parameters:
        ///   - count: The expected number of paths.
        ///   - limit: The maximum length of all paths together, so that a small column cannot demand
        ///     much memory. Reduced by the length of these paths.
        init?(_ column: StoredPaths, count: Int, limit: inout Int) {
            guard column.shared.count == count, column.rest.count == count else { return nil }
            self.column = column
            bytes = array(column.bytes)
            var (lastLength, position) = (0, 0)
            for (shared, rest) in zip(column.shared, column.rest) {
                let (shared, rest) = (Int(shared), Int(rest))
                guard shared <= lastLength, rest <= bytes.count - position, shared + rest <= limit
                else { return nil }
                limit -= shared + rest
                lastLength = shared + rest
                position += rest
            }
            guard position == bytes.count else { return nil }
        }

        /// The next path. Must be called at most once for each path of the column.
        mutating func next() -> [UInt8] {
            let rest = Int(column.rest[index])
            last.removeSubrange(Int(column.shared[index])...)
            last += bytes[position..<(position + rest)]
            index += 1
            position += rest
            // A copy, so that the path's capacity equals its length.
            return last.withUnsafeBytes { Array($0) }
        }
    }
}
