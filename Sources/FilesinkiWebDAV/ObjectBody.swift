import FilesinkiHTTP
import FilesinkiModel
import Synchronization

/// The bytes of an object, or of a range of it, as a reply to `GET` brings them: checked against what
/// the reply says of itself, and bound.
final class ObjectBody: Sendable {
    private struct State {
        var head: HTTPReply?
        var bytes: [UInt8] = []
        /// How many bytes of the reply come before the wanted ones.
        var skipped: Int64 = 0
        /// How many bytes are wanted at most.
        var wanted: Int64
        /// How many bytes there have to be; nil when the reply does not say.
        var promised: Int64?
        /// How many bytes came after the wanted ones.
        var surplus = 0
    }

    private let key: String
    /// What was asked for; nil for all.
    private let range: Range<Int64>?
    private let state: Mutex<State>

    /// A body that is not wanted is read this far, so that its connection can be used again.
    static let smallSurplus = 65_536

    init(_ key: String, range: Range<Int64>?) {
        self.key = key
        self.range = range
        let wanted = range.map { $0.upperBound - $0.lowerBound } ?? .max
        state = Mutex(State(wanted: min(wanted, WebDAVRemote.maximumObjectSize)))
    }

    /// The status and fields of the reply; nil before it came.
    var head: HTTPReply? { state.withLock { $0.head } }

    /// Takes the next part of the reply, of which the first is its status and fields.
    ///
    /// - Returns: Whether more is wanted.
    func take(_ part: HTTPReply) throws(Failure) -> Bool {
        try state.withLock { state throws(Failure) in
            if state.head == nil {
                state.head = HTTPReply(status: part.status, fields: part.fields)
                try begin(&state, part)
            }
            return try add(part.body[...], to: &state)
        }
    }

    /// The bytes, when all came that the reply promised.
    ///
    /// - Throws: `Failure` with code `away` for a reply that was cut.
    func whole() throws(Failure) -> [UInt8] {
        let state = state.withLock { $0 }
        if let promised = state.promised, promised != Int64(state.bytes.count) {
            throw broken("was cut: \(state.bytes.count) of \(promised) bytes came")
        }
        return state.bytes
    }

    private func begin(_ state: inout State, _ head: HTTPReply) throws(Failure) {
        switch head.status {
        case 200: try beginWhole(&state, head)
        case 206: try beginPart(&state, head)
        default: state.wanted = 0
        }
    }

    /// A server may ignore that only a part was asked for.
    private func beginWhole(_ state: inout State, _ head: HTTPReply) throws(Failure) {
        state.skipped = range?.lowerBound ?? 0
        guard let length = head.fields["Content-Length"].flatMap({ Int64($0) }) else { return }
        let rest = max(0, length - state.skipped)
        if range == nil, rest > state.wanted { throw tooLarge }
        state.promised = min(rest, state.wanted)
    }

    private func beginPart(_ state: inout State, _ head: HTTPReply) throws(Failure) {
        guard let range, let text = head.fields["Content-Range"],
            let part = ContentRange(text), part.first == range.lowerBound,
            part.last < range.upperBound
        else { throw broken("holds other bytes than were asked for") }
        if let size = part.size, part.last + 1 < min(range.upperBound, size),
            part.last + 1 - part.first < state.wanted
        {
            throw broken("holds fewer bytes than were asked for")
        }
        state.promised = part.last + 1 - part.first
    }

    private func add(_ part: ArraySlice<UInt8>, to state: inout State) throws(Failure) -> Bool {
        var part = part
        let skipped = min(state.skipped, Int64(part.count))
        state.skipped -= skipped
        part = part.dropFirst(Int(skipped))
        let taken = part.prefix(Int(clamping: state.wanted - Int64(state.bytes.count)))
        state.bytes += taken
        state.surplus += part.count - taken.count
        if state.surplus > 0, state.head?.status == 206 {
            throw broken("holds more bytes than were asked for")
        }
        if state.surplus > 0, range == nil, state.head?.status == 200 { throw tooLarge }
        return state.surplus < Self.smallSurplus
    }

    private func broken(_ what: String) -> Failure {
        Failure(
            .away, path: key, "The server's answer \(what).",
            remedy: "Run the command again; a proxy between here and the server may be broken.")
    }

    private var tooLarge: Failure {
        Failure(
            .limit, path: key, "The object is larger than any that the store writes.",
            remedy: "The store may be damaged; run filesinki check.")
    }
}

/// The field `Content-Range`: `bytes first-last/size`, where the size may be `*`.
/// https://www.rfc-editor.org/rfc/rfc9110#section-14.4
struct ContentRange: Hashable {
    var first: Int64
    var last: Int64
    /// Of the whole object, in bytes; nil when it is not told.
    var size: Int64?

    init?(_ text: String) {
        guard text.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int64(ends[0]), let last = Int64(ends[1]),
            first >= 0, last >= first, last < .max
        else { return nil }
        self.first = first
        self.last = last
        if parts[1] != "*" {
            guard let size = Int64(parts[1]), size > last else { return nil }
            self.size = size
        }
    }
}
