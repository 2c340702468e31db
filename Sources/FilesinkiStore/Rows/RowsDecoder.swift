internal import FilesinkiModel

/// Turns columns back into rows: columns that do not fit together spoil the record, a row that says
/// something impossible is left out alone.
struct RowsDecoder {
    private let columns: StoredRows
    private let kinds: [UInt8]
    private let contents: [UInt8]
    private let paths: [[UInt8]]
    private var contentPosition = 0
    private var targetPosition = 0
    private var seconds: Int64 = 0

    /// The longest target of a symlink, in bytes.
    static let maximumTargetLength = 4095

    /// - Parameters:
    ///   - maximumCount: The most rows there may be.
    ///   - pathLimit: See ``PathColumn/decode(_:count:limit:)``.
    /// - Returns: nil when the columns do not fit together.
    init?(_ columns: StoredRows, maximumCount: Int, pathLimit: inout Int) {
        let count = Int(columns.count)
        guard count <= maximumCount, columns.modes.count == count, columns.seconds.count == count,
            columns.nanoseconds.count == count, columns.sizes.count == count,
            columns.versions.count == count, columns.kinds.count == count,
            let paths = PathColumn.decode(columns.paths, count: count, limit: &pathLimit)
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

    /// The number of rows, those too that cannot be.
    var count: Int { paths.count }

    /// Calls `accept` with each row that can be, and `refuse` with each one that cannot.
    mutating func forEachRow(
        _ accept: (_ index: Int, _ path: RelativePath, _ row: Row) -> Void,
        refuse: (RefusedRow) -> Void
    ) {
        for index in kinds.indices {
            seconds &+= columns.seconds[index]
            let content = nextContent(kinds[index])
            let target = nextTarget(kinds[index])
            do throws(Failure) {
                let path = try RelativePath(paths[index])
                let row = try row(index, content: content, target: target)
                accept(index, path, row)
            } catch {
                refuse(RefusedRow(path: paths[index], failure: error))
            }
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
        _ index: Int, content: ContentID?, target: [UInt8]?
    ) throws(Failure) -> Row {
        guard let kind = Entry.Kind(rawValue: kinds[index] & RowsEncoder.kindMask) else {
            throw refused(index, "The entry is of an unknown kind.")
        }
        guard columns.nanoseconds[index] <= 999_999_999 else {
            throw refused(index, "The entry has an impossible time.")
        }
        let modified = Timestamp(
            seconds: seconds, nanoseconds: Int64(columns.nanoseconds[index]))
        let mode = UInt16(columns.modes[index] & 0o777)
        let entry: Entry
        switch kind {
        case .file:
            guard let content, let size = Int64(exactly: columns.sizes[index]) else {
                throw refused(index, "The file has no content or an impossible size.")
            }
            entry = .file(content, size: size, mode: mode, modified: modified)
        case .directory:
            entry = .directory(mode: mode, modified: modified)
        case .symlink:
            guard let target, (1...Self.maximumTargetLength).contains(target.count),
                !target.contains(0)
            else { throw refused(index, "The symlink has an impossible target.") }
            entry = .symlink(to: target, modified: modified)
        case .tombstone:
            // The time is when the deletion was made, if the writer said so.
            entry = Entry(kind: .tombstone, modified: modified)
        }
        return Row(path: paths[index], entry: entry, version: columns.versions[index])
    }

    private func refused(_ index: Int, _ message: String) -> Failure {
        RefusedRow(paths[index], message).failure
    }
}
