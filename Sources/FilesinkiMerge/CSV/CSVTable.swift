/// The records and fields of a CSV file, as places in its bytes.
struct CSVTable {
    /// A record: what is between two line ends outside of quotes.
    struct Record {
        /// Places in ``CSVTable/fields``.
        var fields: Range<Int>
        /// The record without its line end, and the line end.
        var bytes: Range<Int>
        var end: Range<Int>
    }

    /// A field as it is written, with its quotes. Half the size of a range, as there are many.
    struct Field {
        var start: UInt32
        var end: UInt32
    }

    let bytes: [UInt8]
    let separator: UInt8
    fileprivate(set) var fields: [Field] = []
    fileprivate(set) var records: [Record] = []

    func raw(_ field: Int) -> ArraySlice<UInt8> {
        bytes[Int(fields[field].start)..<Int(fields[field].end)]
    }

    /// The value of a written field, without its quotes.
    static func value(of raw: ArraySlice<UInt8>) -> [UInt8] {
        guard raw.first == quote, raw.count >= 2 else { return Array(raw) }
        var value: [UInt8] = []
        var isSecond = false
        for byte in raw.dropFirst().dropLast() {
            isSecond = byte == quote && !isSecond
            if !isSecond { value.append(byte) }
        }
        return value
    }

    /// Reads a file (RFC 4180); a quote inside of an unquoted field is a character like others, a
    /// carriage return without a newline too. nil for a quote that does not end, or that ends
    /// before its field does.
    ///
    /// - Parameter recordLimit: No more records are read than these.
    init?(_ bytes: [UInt8], separator: UInt8, recordLimit: Int = .max) {
        self.bytes = bytes
        self.separator = separator
        var reader = CSVReader(separator: separator)
        while reader.place < bytes.count, records.count < recordLimit {
            guard let record = reader.readRecord(bytes, &fields) else { return nil }
            records.append(record)
        }
    }

    fileprivate static let quote = UInt8(ascii: "\"")

    /// Whether nothing is on the record's line.
    func isBlank(_ record: Record) -> Bool { record.bytes.isEmpty }

    /// Removes the blank lines at the end, and returns their bytes.
    mutating func removeBlankEnd() -> [UInt8] {
        var rest: ArraySlice<UInt8> = []
        while let last = records.last, isBlank(last) {
            rest = bytes[last.end.lowerBound...]
            records.removeLast()
        }
        return Array(rest)
    }
}

private struct CSVReader {
    let separator: UInt8
    var place = 0

    mutating func readRecord(_ bytes: [UInt8], _ fields: inout [CSVTable.Field])
        -> CSVTable.Record?
    {
        let start = place
        let first = fields.count
        while true {
            guard let field = readField(bytes) else { return nil }
            fields.append(field)
            if place < bytes.count, bytes[place] == separator {
                place += 1
                continue
            }
            let end = place
            place = min(bytes.count, place + lineEnd(bytes))
            return CSVTable.Record(
                fields: first..<fields.count, bytes: start..<end, end: end..<place)
        }
    }

    private mutating func readField(_ bytes: [UInt8]) -> CSVTable.Field? {
        let start = place
        if place < bytes.count, bytes[place] == CSVTable.quote {
            guard skipQuoted(bytes) else { return nil }
        } else {
            while place < bytes.count, bytes[place] != separator, lineEnd(bytes) == 0 {
                place += 1
            }
        }
        return CSVTable.Field(
            start: UInt32(clamping: start), end: UInt32(clamping: place))
    }

    /// Skips a quoted field; false if its quotes do not match.
    private mutating func skipQuoted(_ bytes: [UInt8]) -> Bool {
        place += 1
        while place < bytes.count {
            if bytes[place] != CSVTable.quote {
                place += 1
            } else if place + 1 < bytes.count, bytes[place + 1] == CSVTable.quote {
                place += 2
            } else {
                place += 1
                return place == bytes.count || bytes[place] == separator || lineEnd(bytes) > 0
            }
        }
        return false
    }

    /// The length of the line end at the current place; 0 when there is none.
    private func lineEnd(_ bytes: [UInt8]) -> Int {
        guard place < bytes.count else { return 0 }
        if bytes[place] == 10 { return 1 }
        return bytes[place] == 13 && place + 1 < bytes.count && bytes[place + 1] == 10 ? 2 : 0
    }
}
