internal import FilesinkiModel

/// A named value of the replica.
struct SettingRow: Hashable {
    var name: String
    var value: [UInt8]
}

extension SettingRow: CheckedRow {
    static var table: StaticString { "setting" }
    static var columns: [String] { ["key", "value"] }
    var key: [UInt8] { Array(name.utf8) }

    func write(to writer: inout RowWriter) {
        writer.put(key)
        writer.put(value)
    }

    init(from reader: inout RowReader) {
        name = reader.text()
        value = reader.bytes()
    }
}
