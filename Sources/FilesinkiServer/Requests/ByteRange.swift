import FilesinkiProtocol
import HTTPTypes

/// The one range of a `Range` field: https://www.rfc-editor.org/rfc/rfc9110#section-14.1.2
enum ByteRange {
    /// The bytes that the field asks for, of an object of `size` bytes.
    ///
    /// - Returns: Nil for all: another unit, as the standard has it.
    /// - Throws: ``RequestError``: 400 for several ranges or none, 416 for one behind the end.
    static func parse(_ field: String, size: Int64) throws(RequestError) -> Range<Int64>? {
        guard field.hasPrefix("bytes=") else { return nil }
        let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]) else {
            throw .badRequest("The range is malformed, or there are several.")
        }
        switch (first, last) {
        case (nil, nil): throw .badRequest("The range is malformed, or there are several.")
        case (nil, let count?):
            guard count > 0, size > 0 else { throw behindEnd(size) }
            return max(0, size - count)..<size
        case (let start?, let last):
            if let last, last < start { throw .badRequest("The range ends before it begins.") }
            guard start < size else { throw behindEnd(size) }
            // The last byte belongs to the range; it may be said to be behind the end.
            return start..<min(last.map { $0 == .max ? $0 : $0 + 1 } ?? size, size)
        }
    }

    /// The number, an inner nil for none, an outer one for anything else.
    private static func number(_ text: Substring) -> Int64?? {
        if text.isEmpty { return .some(nil) }
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int64(text) else {
            return nil
        }
        return .some(number)
    }

    private static func behindEnd(_ size: Int64) -> RequestError {
        RequestError(
            .rangeNotSatisfiable, .badRange, "The range begins behind the object's end."
        )
        .with(.contentRange, "bytes */\(size)")
    }
}
