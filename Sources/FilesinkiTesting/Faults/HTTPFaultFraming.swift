/// The head of a request, as a ``FaultProxy`` sees it.
struct HTTPFaultHead {
    var method: String
    var target: String
    /// The request line and the fields, with their ends of line.
    var text: String

    /// What is not HTTP.
    static let opaque = HTTPFaultHead(method: "", target: "", text: "")

    fileprivate init(method: String, target: String, text: String) {
        (self.method, self.target, self.text) = (method, target, text)
    }

    /// - Parameter bytes: A head with its last empty line.
    init(_ bytes: some Collection<UInt8>) {
        text = String(decoding: bytes, as: UTF8.self)
        let words = text.prefix { $0 != "\r\n" }.split(separator: " ")
        method = words.first.map(String.init) ?? ""
        target = words.count > 1 ? String(words[1]) : ""
    }

    /// How long the body is; nil when it goes on to the end of the connection.
    var bodyLength: Int? {
        if httpField("transfer-encoding", in: text) != nil { return nil }
        return httpField("content-length", in: text).flatMap { Int($0) } ?? 0
    }
}

/// The value of a field in a head; nil when it is not there.
///
/// - Parameter name: In lower case.
func httpField(_ name: String, in head: String) -> String? {
    for line in head.split(separator: "\r\n").dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        if parts.count == 2, parts[0].lowercased() == name {
            return String(parts[1].drop { $0 == " " })
        }
    }
    return nil
}

/// Finds where the requests on one connection begin and end.
struct HTTPFaultFraming {
    enum Event {
        /// A request begins; its head has these bytes.
        case head(HTTPFaultHead, [UInt8])
        /// Bytes of the body.
        case body([UInt8])
        /// The request is complete.
        case end
    }

    private enum Place {
        case head
        /// So many bytes of the body are to come.
        case body(Int)
        /// It is not HTTP, or a body without a known end.
        case open
    }

    /// A head that is longer is none: 256 KiB.
    private static let longestHead = 256 << 10

    private var held: [UInt8] = []
    private var place = Place.head

    mutating func add(_ bytes: ArraySlice<UInt8>) { held += bytes }

    /// What comes next; nil when more bytes are needed.
    mutating func next() -> Event? {
        switch place {
        case .head: return nextHead()
        case .body(0):
            place = .head
            return .end
        case .body(let left):
            let part = take(min(left, held.count))
            place = .body(left - part.count)
            return part.isEmpty ? nil : .body(part)
        case .open:
            let part = take(held.count)
            return part.isEmpty ? nil : .body(part)
        }
    }

    private mutating func nextHead() -> Event? {
        guard let first = held.first else { return nil }
        if let end = held.firstRange(of: [13, 10, 13, 10]) {
            let bytes = take(end.upperBound)
            let head = HTTPFaultHead(bytes)
            place = head.bodyLength.map { .body($0) } ?? .open
            return .head(head, bytes)
        }
        guard
            !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first)
                || held.count > Self.longestHead
        else { return nil }
        place = .open
        return .head(.opaque, take(held.count))
    }

    private mutating func take(_ count: Int) -> [UInt8] {
        let part = Array(held.prefix(count))
        held.removeFirst(count)
        return part
    }
}
