import FilesinkiHTTP
import FilesinkiModel
import FilesinkiText
import Synchronization

/// Proves to a server who is asking, in the way that it asks for.
///
/// A password is first sent when a server has asked for one, and in the clear only to a server that
/// asks for nothing better: https://www.rfc-editor.org/rfc/rfc7617 and
/// https://www.rfc-editor.org/rfc/rfc7616
final class Authentication: Sendable {
    /// What went along with a request.
    struct Proof: Sendable {
        /// The field `Authorization`; nil for none.
        var field: String?
        fileprivate var nonce: String?
    }

    private enum Way {
        case unknown
        case basic
        case digest(DigestChallenge, count: UInt32)
    }

    private let credentials: Credentials
    private let way = Mutex(Way.unknown)

    init(_ credentials: Credentials) { self.credentials = credentials }

    /// What to send with a request.
    ///
    /// - Parameter path: As the request has it: percent-encoded.
    func proof(method: String, path: String) -> Proof {
        switch credentials {
        case .none: Proof()
        case .bearer(let token): Proof(field: "Bearer \(token.value)")
        case .password(let user, let password): proof(user, password, method, path)
        }
    }

    private func proof(
        _ user: String, _ password: Secret, _ method: String, _ path: String
    ) -> Proof {
        way.withLock { way in
            switch way {
            case .unknown: return Proof()
            case .basic:
                return Proof(field: "Basic \(Base64.encode("\(user):\(password.value)".utf8))")
            case .digest(let challenge, let count):
                way = .digest(challenge, count: count &+ 1)
                let answer = DigestAnswer(
                    challenge, user: user, password: password, count: count &+ 1,
                    cnonce: hexadecimal((0..<16).map { _ in UInt8.random(in: 0...255) }))
                return Proof(
                    field: answer.field(method: method, path: path), nonce: challenge.nonce)
            }
        }
    }

    /// Takes note of what a server asks for.
    ///
    /// - Returns: Whether the request may succeed when it is sent again.
    func learn(from reply: HTTPReply, after proof: Proof) -> Bool {
        guard reply.status == 401, case .password = credentials else { return false }
        let challenges = reply.fields.values(of: "WWW-Authenticate").flatMap(
            AuthenticationChallenge.all)
        let digests = challenges.compactMap(DigestChallenge.init)
        let best = digests.first { $0.algorithm == .sha256 } ?? digests.first
        return way.withLock { way in
            switch way {
            case .unknown:
                if let best {
                    way = .digest(best, count: 0)
                } else if challenges.contains(where: { $0.scheme == "basic" }) {
                    way = .basic
                } else {
                    return false
                }
                return true
            // Another task may have learned it since the request was sent.
            case .basic: return proof.field == nil
            case .digest(let known, let count):
                // Another task may have got a new nonce; then this one's has just ended.
                if known.nonce != proof.nonce { return true }
                guard let best, best.nonce != known.nonce else { return false }
                // A server that forgot its nonces may not say that they are stale.
                guard best.isStale || count > 1 else { return false }
                way = .digest(best, count: 0)
                return true
            }
        }
    }
}
