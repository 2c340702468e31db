import FilesinkiModel
import HTTPTypes
import Synchronization

/// Who may use the page: whoever has the token of the printed address, once.
///
/// The token is behind the `#` of the address, so that no browser sends it to a server or writes it
/// into a `Referer`. The page exchanges it for the secret of a session, which it sends in a field of
/// each request. A cookie would be sent to every port of this machine, and with requests that other
/// sites cause.
final class PageAccess: Sendable {
    /// What became of a text that was to begin a session.
    enum Exchange: Equatable {
        /// The secret of the session.
        case session(String)
        /// It is the token, and it has begun a session before.
        case used
        /// It is not the token.
        case wrong
    }

    /// What the address has behind its `#`.
    let token: String
    /// The secret of the session; nil before it began.
    private let secret = Mutex<String?>(nil)
    private let systemContext: SystemContext

    /// 128 bits: a token cannot be guessed.
    private static let length = 16
    private static let scheme = "Bearer "
    private static let hosts: Set = ["localhost", "127.0.0.1", "[::1]"]

    init(_ systemContext: SystemContext) {
        token = hexadecimal(systemContext.randomBytes(Self.length))
        self.systemContext = systemContext
    }

    /// Exchanges the token for the secret of the session, the first time.
    ///
    /// Only who has the token learns whether it was used: whoever guesses learns nothing.
    func beginSession(_ given: String) -> Exchange {
        let new = hexadecimal(systemContext.randomBytes(Self.length))
        guard Self.areEqual(token, given) else { return .wrong }
        return secret.withLock { secret in
            guard secret == nil else { return .used }
            secret = new
            return .session(new)
        }
    }

    /// Whether a request is of the session.
    func isOfSession(_ fields: HTTPFields) -> Bool {
        guard let field = fields[.authorization], field.hasPrefix(Self.scheme) else { return false }
        let given = String(field.dropFirst(Self.scheme.count))
        return secret.withLock { secret in
            secret.map { Self.areEqual($0, given) } ?? false
        }
    }

    /// Whether a request was made by the page itself, or by a person who typed the address: by the name
    /// of this machine (another name could be a site whose address was changed to this machine), and not
    /// by another site.
    static func isOwn(_ head: HTTPRequest) -> Bool {
        guard let authority = head.authority else { return false }
        let port = authority.lastIndex(of: ":").flatMap { colon in
            authority[colon...].contains("]") ? nil : colon
        }
        guard hosts.contains(String(authority[..<(port ?? authority.endIndex)])) else {
            return false
        }
        if let site = head.headerFields[.site], site != "same-origin", site != "none" {
            return false
        }
        guard let origin = head.headerFields[.origin] else { return true }
        return origin == "http://\(authority)"
    }

    /// In constant time for texts of the same length.
    private static func areEqual(_ one: String, _ other: String) -> Bool {
        var difference: UInt8 = one.utf8.count == other.utf8.count ? 0 : 1
        for (mine, theirs) in zip(one.utf8, other.utf8) { difference |= mine ^ theirs }
        return difference == 0
    }
}
