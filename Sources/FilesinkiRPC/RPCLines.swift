/// Cuts a stream of bytes into lines, each of which is one message. It holds one line at most.
package struct RPCLines {
    /// What was found in the stream.
    package enum Line: Hashable, Sendable {
        /// A line without its newline; it is not empty.
        case text([UInt8])
        /// A line was longer than the limit; its bytes are dropped.
        case tooLong
    }

    private let limit: Int
    private var part: [UInt8] = []
    private var isSkipping = false

    /// - Parameter limit: The most bytes of a line.
    package init(limit: Int) { self.limit = limit }

    /// Adds bytes, and returns the lines that end in them. A line that is too long is reported as soon as
    /// it is.
    package mutating func add(_ bytes: some Collection<UInt8>) -> [Line] {
        var lines: [Line] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            append(rest[..<end], to: &lines)
            if let line = finish() { lines.append(line) }
            rest = rest[rest.index(after: end)...]
        }
        append(rest, to: &lines)
        return lines
    }

    /// Ends the stream: the last line needs no newline.
    package mutating func finish() -> Line? {
        defer {
            part = []
            isSkipping = false
        }
        return part.isEmpty ? nil : .text(part)
    }

    private mutating func append(_ bytes: some Collection<UInt8>, to lines: inout [Line]) {
        guard !isSkipping else { return }
        guard bytes.count <= limit - part.count else {
            part = []
            isSkipping = true
            lines.append(.tooLong)
            return
        }
        part.append(contentsOf: bytes)
    }
}
