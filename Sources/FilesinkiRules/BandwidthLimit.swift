package import FilesinkiModel
import FilesinkiText

/// The most bytes per second that this device sends to and receives from a remote over a network.
package struct BandwidthLimit: Hashable, Sendable, CustomStringConvertible {
    /// Bytes per second to the remote; nil for no limit.
    package var sending: Int64?
    /// Bytes per second from the remote; nil for no limit.
    package var receiving: Int64?

    /// The word for no limit.
    package static let off = "off"
    /// The lowest limit: 16 KiB/s. A server takes a slower connection for a dead one.
    package static let minimum: Int64 = 16 << 10

    /// No limit.
    package init() {}

    /// Reads `2M`, one limit for each direction, or `512K:10M`, that of sending and that of receiving; `off` in the place
    /// of a number is no limit.
    ///
    /// - Throws: `Failure` with code `usage` for anything else, and below ``minimum``.
    package init(parsing text: String) throws(Failure) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2 else { throw Self.invalid(text) }
        sending = try Self.rate(first, of: text)
        receiving = parts.count == 2 ? try Self.rate(parts[1], of: text) : sending
    }

    private static func rate(_ part: Substring, of text: String) throws(Failure) -> Int64? {
        if part == off { return nil }
        guard let bytes = SizeValue.bytes(of: part), bytes >= minimum else { throw invalid(text) }
        return bytes
    }

    private static func invalid(_ text: String) -> Failure {
        Failure(
            .usage, path: "", "Invalid bandwidth limit: '\(text)'.",
            remedy:
                "Write bytes per second, 16Ki or more: 2M, or 512K:10M to send and receive; or off."
        )
    }

    /// As it is read.
    package var description: String {
        let (up, down) = (Self.text(sending), Self.text(receiving))
        return up == down ? up : "\(up):\(down)"
    }

    private static func text(_ rate: Int64?) -> String { rate.map(String.init) ?? off }
}
