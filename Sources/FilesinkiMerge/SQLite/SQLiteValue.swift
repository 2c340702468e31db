import FilesinkiModel

/// What a cell holds. Texts are bytes, as a database may hold text that is not valid UTF-8.
enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])

    /// The value in a message: short, and safe for a terminal.
    var shown: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let bytes): "'\(printable(bytes.prefix(60)))\(bytes.count > 60 ? "…" : "")'"
        case .blob(let bytes): "a blob of \(bytes.count) bytes"
        }
    }

    /// The order of two numbers or two texts; nil for anything else, as no order would be the
    /// user's.
    func precedes(_ other: SQLiteValue) -> Bool? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left < right
        case (.integer(let left), .real(let right)): Double(left) < right
        case (.real(let left), .integer(let right)): left < Double(right)
        case (.real(let left), .real(let right)): left < right
        case (.text(let left), .text(let right)): left.lexicographicallyPrecedes(right)
        default: nil
        }
    }

    /// The number, when it is one.
    var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }
}
