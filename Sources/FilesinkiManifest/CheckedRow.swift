internal import FilesinkiModel

/// A row of a table whose every row carries a check and which has a tally.
protocol CheckedRow {
    /// The table's name.
    static var table: StaticString { get }
    /// The columns between id and row_check, the key first.
    static var columns: [String] { get }
    /// The value of the first column, of which no two rows share one.
    var key: [UInt8] { get }
    /// Binds all columns in their order.
    func write(to writer: inout RowWriter)
    /// Reads all columns in their order.
    init(from reader: inout RowReader)
}
