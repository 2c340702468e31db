import FilesinkiHashing
import FilesinkiModel
import HTTPTypes
import Synchronization

/// The sessions of a store's page: each began with a token, and ends by itself.
///
/// The browser has a random secret in a cookie, never the token. Sessions are in memory: a server that was started
/// again knows none.
final class PageSessions: Sendable {
    private struct Session {
        var access: Access
        var began: Duration
        var lastUse: Duration
    }

    /// By the hash of their secret, so that no comparison takes longer for a better guess.
    private let sessions = Mutex<[[UInt8]: Session]>([:])
    private let limits: ServerLimits
    private let clock: @Sendable () -> Duration
    private let systemContext: SystemContext

    /// 128 bits: a secret cannot be guessed.
    private static let length = 16
    /// The most cookies of one request that are compared.
    private static let maximumCookies = 4

    init(
        _ limits: ServerLimits, clock: @escaping @Sendable () -> Duration,
        _ systemContext: SystemContext
    ) {
        self.limits = limits
        self.clock = clock
        self.systemContext = systemContext
    }

    /// Begins a session. If there are too many, of this token or in all, the one that was used longest ago ends.
    ///
    /// - Returns: Its secret.
    func begin(_ access: Access) -> String {
        let secret = hexadecimal(systemContext.randomBytes(Self.length))
        let now = clock()
        sessions.withLock { sessions in
            sessions = sessions.filter { !isOver($0.value, now) }
            Self.endOldest(of: &sessions, limit: limits.sessionsOfOne) {
                $0.access.tokenID == access.tokenID
            }
            Self.endOldest(of: &sessions, limit: limits.sessions) { _ in true }
            sessions[Self.key(secret)] = Session(access: access, began: now, lastUse: now)
        }
        return secret
    }

    /// The rights of the session that a request belongs to; nil if it has none, or that has ended.
    func access(of fields: HTTPFields, cookie: String) -> Access? {
        let now = clock()
        return sessions.withLock { sessions in
            for secret in Self.values(of: cookie, in: fields) {
                let key = Self.key(secret)
                guard let session = sessions[key] else { continue }
                guard !isOver(session, now) else {
                    sessions[key] = nil
                    continue
                }
                sessions[key]?.lastUse = now
                return session.access
            }
            return nil
        }
    }

    /// Ends the session that a request belongs to.
    func end(of fields: HTTPFields, cookie: String) {
        let keys = Self.values(of: cookie, in: fields).map { Self.key($0) }
        sessions.withLock { sessions in
            for key in keys { sessions[key] = nil }
        }
    }

    private func isOver(_ session: Session, _ now: Duration) -> Bool {
        now - session.lastUse >= limits.sessionIdleTime || now - session.began >= limits.sessionTime
    }

    /// Makes room for one more of those that `isChosen` chooses.
    private static func endOldest(
        of sessions: inout [[UInt8]: Session], limit: Int, _ isChosen: (Session) -> Bool
    ) {
        let chosen = sessions.filter { isChosen($0.value) }
        guard chosen.count >= limit else { return }
        if let oldest = chosen.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            sessions[oldest.key] = nil
        }
    }

    private static func key(_ secret: String) -> [UInt8] { SHA256.hash(Array(secret.utf8)) }

    /// The values of a cookie. A browser sends several when another path set one of the same name.
    private static func values(of name: String, in fields: HTTPFields) -> [String] {
        let pairs = fields[values: .cookie].flatMap { $0.split(separator: ";") }
        let values = pairs.compactMap { pair -> String? in
            let sides = pair.drop { $0 == " " }.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return sides.count == 2 && sides[0] == name ? String(sides[1]) : nil
        }
        return Array(values.prefix(maximumCookies))
    }
}
