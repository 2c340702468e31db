import FilesinkiHTTP
import FilesinkiHashing
import FilesinkiModel
import FilesinkiText
import Synchronization

/// Authenticates requests by the scheme that the server asks for.
///
/// A password is sent only after the server has asked for one, and in the clear (RFC 7617) only if the
/// server supports no digest (RFC 7616).
final class WebDAVAuthentication: Sendable {
    /// The authorization sent with a request.
    struct Authorization: Sendable {
        /// The field `Authorization`; nil for none.
        var field: String?
        fileprivate var nonce: String?
    }

    private enum Scheme {
        case unknown
        case basic
        case digest(DigestChallenge, count: UInt32)
    }

    private let credentials: Credentials
    private let scheme = Mutex(Scheme.unknown)

    init(_ credentials: Credentials) { self.credentials = credentials }

    /// The user whose password is sent; nil for none.
    var user: String? {
        guard case .password(let user, _) = credentials else { return nil }
        return user
    }

    /// The authorization for a request.
    ///
    /// - Parameter path: The path of the request, percent-encoded.
    func authorization(method: String, path: String) -> Authorization {
        switch credentials {
        case .none: Authorization()
        case .bearer(let token): Authorization(field: "Bearer \(token.value)")
        case .password(let user, let password): authorization(user, password, method, path)
        }
    }

    private func authorization(
        _ user: String, _ password: Secret, _ method: String, _ path: String
    ) -> Authorization {
        scheme.withLock { scheme in
            switch scheme {
            case .unknown: return Authorization()
            case .basic:
                return Authorization(
                    field: "Basic \(Base64.encode("\(user):\(password.value)".utf8))")
            case .digest(let challenge, let count):
                scheme = .digest(challenge, count: count &+ 1)
                let response = DigestResponse(
                    challenge, user: user, password: password, count: count &+ 1,
                    cnonce: hexadecimal((0..<16).map { _ in UInt8.random(in: 0...255) }))
                return Authorization(
                    field: response.field(method: method, path: path), nonce: challenge.nonce)
            }
        }
    }

    /// Selects a scheme if the reply asks for authentication.
    ///
    /// - Returns: Whether the request may succeed when it is sent again.
    func handleChallenge(in reply: HTTPReply, after authorization: Authorization) -> Bool {
        guard reply.status == 401, case .password = credentials else { return false }
        let challenges = reply.fields.values(of: "WWW-Authenticate").flatMap(
            AuthenticationChallenge.all)
        let digests = challenges.compactMap(DigestChallenge.init)
        let best = digests.first { $0.algorithm == .sha256 } ?? digests.first
        return scheme.withLock { scheme in
            switch scheme {
            case .unknown:
                if let best {
                    scheme = .digest(best, count: 0)
                } else if challenges.contains(where: { $0.scheme == "basic" }) {
                    scheme = .basic
                } else {
                    return false
                }
                return true
            // Another task may have selected it since the request was sent.
            case .basic: return authorization.field == nil
            case .digest(let known, let count):
                // Another task may have received a new nonce.
                if known.nonce != authorization.nonce { return true }
                guard let best, best.nonce != known.nonce else { return false }
                // A server that lost its nonces may not mark them as stale.
                guard best.isStale || count > 1 else { return false }
                scheme = .digest(best, count: 0)
                return true
            }
        }
    }
}

/// One authentication scheme in the field `WWW-Authenticate`:
/// https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
struct AuthenticationChallenge: Hashable {
    /// In lower case.
    var scheme: String
    /// By their names in lower case.
    var parameters: [String: String] = [:]

    /// Longer fields are ignored, in bytes.
    private static let maximumLength = 8192

    /// The challenges in a field, up to the first syntax error.
    static func all(_ field: String) -> [AuthenticationChallenge] {
        guard field.utf8.count <= maximumLength else { return [] }
        var reader = Reader(rest: Array(field.utf8)[...])
        var found: [AuthenticationChallenge] = []
        while let word = reader.word() {
            if reader.skip(UInt8(ascii: "=")), !found.isEmpty {
                guard let value = reader.value() else { break }
                // If a name is repeated, the first one counts.
                let name = word.lowercased()
                if found[found.count - 1].parameters[name] == nil {
                    found[found.count - 1].parameters[name] = value
                }
            } else {
                found.append(AuthenticationChallenge(scheme: word.lowercased()))
            }
        }
        return found
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        /// The next word after blanks and commas; nil at the end and at anything else.
        mutating func word() -> String? {
            rest = rest.drop { [0x20, 0x09, UInt8(ascii: ",")].contains($0) }
            return token()
        }

        /// The value after an equals sign: a word or a quoted string.
        mutating func value() -> String? {
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
            return rest.first == UInt8(ascii: "\"") ? quoted() : token()
        }

        mutating func skip(_ byte: UInt8) -> Bool {
            let trimmed = rest.drop { $0 == 0x20 || $0 == 0x09 }
            guard trimmed.first == byte else { return false }
            rest = trimmed.dropFirst()
            return true
        }

        private mutating func token() -> String? {
            let ends: Set<UInt8> = Set(" \t,=\"".utf8)
            let word = rest.prefix { !ends.contains($0) }
            rest = rest.dropFirst(word.count)
            return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
        }

        private mutating func quoted() -> String? {
            rest = rest.dropFirst()
            var text: [UInt8] = []
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
                if byte == UInt8(ascii: "\\") {
                    guard let next = rest.popFirst() else { return nil }
                    text.append(next)
                } else {
                    text.append(byte)
                }
            }
            return nil
        }
    }
}

/// A server's digest challenge: https://www.rfc-editor.org/rfc/rfc7616#section-3.3
struct DigestChallenge: Hashable {
    enum Algorithm: String {
        case md5 = "MD5"
        case sha256 = "SHA-256"
    }

    var realm: String
    var nonce: String
    var opaque: String?
    var algorithm: Algorithm
    /// Whether only the nonce was too old, and the response to it correct.
    var isStale: Bool

    init(
        realm: String, nonce: String, opaque: String? = nil, algorithm: Algorithm,
        isStale: Bool = false
    ) {
        self.realm = realm
        self.nonce = nonce
        self.opaque = opaque
        self.algorithm = algorithm
        self.isStale = isStale
    }

    /// Nil for another scheme, an unknown algorithm, or a quality of protection other than `auth`.
    init?(_ challenge: AuthenticationChallenge) {
        let parameters = challenge.parameters
        let qualities = (parameters["qop"] ?? "").lowercased().split { $0 == "," || $0 == " " }
        guard challenge.scheme == "digest", qualities.contains("auth"),
            let realm = parameters["realm"], let nonce = parameters["nonce"],
            let algorithm = Algorithm(rawValue: (parameters["algorithm"] ?? "MD5").uppercased())
        else { return nil }
        self.init(
            realm: realm, nonce: nonce, opaque: parameters["opaque"], algorithm: algorithm,
            isStale: parameters["stale"]?.lowercased() == "true")
    }
}

/// The response to a ``DigestChallenge``: https://www.rfc-editor.org/rfc/rfc7616#section-3.4
struct DigestResponse {
    let challenge: DigestChallenge
    let user: String
    let password: Secret
    /// The number of requests that used the nonce, including this one.
    let count: UInt32
    /// The client's random part.
    let cnonce: String

    init(
        _ challenge: DigestChallenge, user: String, password: Secret, count: UInt32, cnonce: String
    ) {
        self.challenge = challenge
        self.user = user
        self.password = password
        self.count = count
        self.cnonce = cnonce
    }

    /// The field `Authorization` of a request.
    func field(method: String, path: String) -> String {
        var parts = [
            userPart, "realm=\(quoted(challenge.realm))", "uri=\(quoted(path))",
            "algorithm=\(challenge.algorithm.rawValue)", "nonce=\(quoted(challenge.nonce))",
            "nc=\(countText)", "cnonce=\(quoted(cnonce))", "qop=auth",
            "response=\(quoted(response(method: method, path: path)))",
        ]
        if let opaque = challenge.opaque { parts.append("opaque=\(quoted(opaque))") }
        return "Digest " + parts.joined(separator: ", ")
    }

    /// The digest itself.
    func response(method: String, path: String) -> String {
        let secret = hash("\(user):\(challenge.realm):\(password.value)")
        let request = hash("\(method):\(path)")
        return hash("\(secret):\(challenge.nonce):\(countText):\(cnonce):auth:\(request)")
    }

    private var countText: String {
        let digits = String(count, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// A name that is not ASCII has a syntax of its own.
    private var userPart: String {
        user.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
            ? "username=\(quoted(user))" : "username*=UTF-8''\(PercentCoding.encode(user.utf8))"
    }

    private func quoted(_ text: String) -> String {
        var result = "\""
        for character in text.unicodeScalars {
            if character == "\"" || character == "\\" { result += "\\" }
            result.unicodeScalars.append(character)
        }
        return result + "\""
    }

    private func hash(_ text: String) -> String {
        switch challenge.algorithm {
        case .md5: hexadecimal(MD5.hash(Array(text.utf8)))
        case .sha256: hexadecimal(SHA256.hash(Array(text.utf8)))
        }
    }
}
