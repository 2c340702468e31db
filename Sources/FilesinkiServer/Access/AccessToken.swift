import FilesinkiModel
import FilesinkiText

/// What a client proves its rights with: `fsk_ID_SECRET`. Whoever prints it gets three dots.
package struct AccessToken: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// Names the token to people and in logs: 12 hexadecimal digits.
    package let id: String
    /// 32 random bytes.
    let secret: [UInt8]

    private static let prefix = "fsk_"

    init(id: String, secret: [UInt8]) {
        self.id = id
        self.secret = secret
    }

    /// A fresh token.
    init(_ systemContext: SystemContext) {
        self.init(
            id: hexadecimal(systemContext.randomBytes(6)), secret: systemContext.randomBytes(32))
    }

    /// Reads what a client sent; nil when it is no token.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "_", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "fsk", Self.isID(parts[1]),
            let secret = Base64.decode(parts[2], .url), secret.count == 32
        else { return nil }
        self.init(id: String(parts[1]), secret: secret)
    }

    /// The text to give to the one who asked for the token, once.
    package var text: String { "\(Self.prefix)\(id)_\(Base64.encode(secret, .url))" }

    package var description: String { "..." }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Whether a text is the id of a token.
    static func isID(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 12
            && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}
