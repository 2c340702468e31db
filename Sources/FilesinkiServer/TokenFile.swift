import FilesinkiHashing
package import FilesinkiModel
import FilesinkiSystem
import FilesinkiText
import Glibc

/// A client's token: `fsk_ID_SECRET`. Its descriptions are three dots.
package struct AccessToken: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// Identifies the token in commands and logs: 12 hexadecimal digits.
    package let id: String
    /// 32 random bytes.
    let secret: [UInt8]

    private static let prefix = "fsk_"

    init(id: String, secret: [UInt8]) {
        self.id = id
        self.secret = secret
    }

    /// Creates a random token.
    init(_ systemContext: SystemContext) {
        self.init(
            id: hexadecimal(systemContext.randomBytes(6)), secret: systemContext.randomBytes(32))
    }

    /// Parses a token; nil for anything else.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "_", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "fsk", Self.isID(parts[1]),
            let secret = Base64.decode(parts[2], .url), secret.count == 32
        else { return nil }
        self.init(id: String(parts[1]), secret: secret)
    }

    /// The token as text, to be shown once.
    package var text: String { "\(Self.prefix)\(id)_\(Base64.encode(secret, .url))" }

    package var description: String { "..." }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Whether a text has the form of a token id.
    static func isID(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 12
            && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}

/// What the server stores of a token: enough to verify it, not to reconstruct it.
package struct TokenRecord: Hashable, Sendable {
    package var id: String
    /// Random bytes hashed before the secret.
    var salt: [UInt8]
    /// SHA-256 of the salt and the secret. The secret is random, so a slow hash would add no protection.
    var hash: [UInt8]
    package var rights: Set<AccessRight>
    /// Nil for all.
    package var zones: Set<String>?
    package var made: Timestamp
    /// What the token is for, as its creator wrote.
    package var name: String

    /// Whether the secret is this token's. In constant time.
    func matches(_ secret: [UInt8]) -> Bool {
        let other = Self.hash(salt, secret)
        var difference: UInt8 = other.count == hash.count ? 0 : 1
        for (mine, theirs) in zip(hash, other) { difference |= mine ^ theirs }
        return difference == 0
    }

    static func hash(_ salt: [UInt8], _ secret: [UInt8]) -> [UInt8] {
        SHA256.hash(salt + secret)
    }

    /// Compared with the token of an unknown id, so that it takes as long as for a known one.
    static let unknown = TokenRecord(
        id: "", salt: [UInt8](repeating: 0, count: 16), hash: [UInt8](repeating: 0, count: 32),
        rights: [], zones: [], made: Timestamp(nanoseconds: 0), name: "")
}

extension TokenRecord {
    /// The record's line in the file, without its newline.
    var line: String {
        let rights = AccessRight.allCases.filter(rights.contains).map(\.rawValue)
        let zones = zones.map { $0.sorted().joined(separator: ",") } ?? "*"
        return [
            id, "\(hexadecimal(salt)):\(hexadecimal(hash))", rights.joined(separator: ","), zones,
            String(made.seconds), name,
        ].joined(separator: "\t")
    }

    /// Parses a line; nil when it is malformed.
    init?(line: some StringProtocol) {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard fields.count == 6, AccessToken.isID(fields[0]), let seconds = Int64(fields[4]),
            let colon = fields[1].firstIndex(of: ":"),
            let salt = bytes(hexadecimal: fields[1][..<colon]), salt.count >= 16,
            let hash = bytes(hexadecimal: fields[1][fields[1].index(after: colon)...]),
            hash.count == 32,
            let rights = Self.rights(fields[2])
        else { return nil }
        let zones: [String] = fields[3].split(separator: ",").map { String($0) }
        self.init(
            id: String(fields[0]), salt: salt, hash: hash, rights: rights,
            zones: fields[3] == "*" ? nil : Set(zones),
            made: Timestamp(seconds: seconds, nanoseconds: 0), name: String(fields[5]))
    }

    private static func rights(_ text: some StringProtocol) -> Set<AccessRight>? {
        var result: Set<AccessRight> = []
        for word in text.split(separator: ",") {
            guard let right = AccessRight(rawValue: String(word)) else { return nil }
            result.insert(right)
        }
        return result
    }
}

/// The file of a server's tokens, one per line: see Docs/Protocol.md.
package struct TokenFile: Sendable {
    package let path: String

    /// The most tokens.
    private static let limit = 10_000

    package init(path: String) { self.path = path }

    private var file: PrivateFile { PrivateFile(path) }

    /// Whether the file exists, even without a token. True if that cannot be determined.
    package var exists: Bool {
        FileStamp(at: path, followingSymlinks: true) != nil || !SystemError.last.isMissing
    }

    /// Creates a token and stores its record. Creates the file if it is missing.
    ///
    /// - Parameters:
    ///   - name: What it is for: one line of up to 200 bytes.
    ///   - zones: Nil for all.
    /// - Returns: The token, which cannot be recovered later.
    /// - Throws: `Failure`: `usage` for an invalid name, zone or set of rights; `not-allowed`,
    ///   `full`, `io`, `limit`.
    package func makeToken(
        name: String, rights: Set<AccessRight>, zones: Set<String>?, _ systemContext: SystemContext
    ) throws(Failure) -> (token: AccessToken, record: TokenRecord) {
        try Self.check(name: name, rights: rights, zones: zones)
        let token = AccessToken(systemContext)
        let salt = systemContext.randomBytes(16)
        let record = TokenRecord(
            id: token.id, salt: salt, hash: TokenRecord.hash(salt, token.secret), rights: rights,
            zones: zones == ["*"] ? nil : zones, made: systemContext.now(), name: name)
        try file.locked { () throws(Failure) in
            let records = try list()
            guard records.count < Self.limit, !records.contains(where: { $0.id == token.id }) else {
                throw Failure(
                    .limit, path: path, "Too many tokens.",
                    remedy: "Revoke tokens that are not in use.")
            }
            try write(records + [record])
        }
        return (token, record)
    }

    /// All records in the order of their creation; empty when there is no file.
    ///
    /// - Throws: `Failure`: `not-allowed` when other users can read the file, `corrupt`, `io`.
    package func list() throws(Failure) -> [TokenRecord] {
        guard let bytes = try file.read() else { return [] }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw malformedError }
        var records: [TokenRecord] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let record = TokenRecord(line: line) else { throw malformedError }
            records.append(record)
        }
        return records
    }

    /// Revokes a token. A running server applies it to the next request.
    ///
    /// - Returns: False when there is no token with this id.
    /// - Throws: As ``makeToken(name:rights:zones:_:)`` does.
    package func revoke(id: String) throws(Failure) -> Bool {
        try file.locked { () throws(Failure) in
            let records = try list()
            let rest = records.filter { $0.id != id }
            guard rest.count < records.count else { return false }
            try write(rest)
            return true
        }
    }

    /// Revokes the token that a word names: its id, the beginning of its id, or its name. Creates nothing.
    ///
    /// - Returns: The record of the revoked token.
    /// - Throws: `Failure` with code `not-found` if no token is named so, or more than one, and as
    ///   ``makeToken(name:rights:zones:_:)`` does.
    package func revoke(named word: String) throws(Failure) -> TokenRecord {
        guard exists else { return try Self.record(named: word, among: []) }
        return try file.locked { () throws(Failure) in
            let records = try list()
            let record = try Self.record(named: word, among: records)
            try write(records.filter { $0.id != record.id })
            return record
        }
    }

    private static func record(
        named word: String, among records: [TokenRecord]
    ) throws(Failure) -> TokenRecord {
        if let record = records.first(where: { $0.id == word }) { return record }
        let found = records.filter { !word.isEmpty && ($0.name == word || $0.id.hasPrefix(word)) }
        guard found.count == 1, let record = found.first else {
            throw Failure(
                .notFound, path: word,
                found.isEmpty
                    ? "No token has this id or name." : "More than one token has this name.",
                remedy: "See them, with their ids, with filesinki serve token list.")
        }
        return record
    }

    private func write(_ records: [TokenRecord]) throws(Failure) {
        let head = "# The tokens of a filesinki server. Change them with filesinki serve token.\n"
        let text = head + records.map { $0.line + "\n" }.joined()
        try file.replace(with: Array(text.utf8))
    }

    private var malformedError: Failure {
        Failure(
            .corrupt, path: path, "The token file is malformed.",
            remedy: "Repair it, or remove it and create the tokens again.")
    }

    /// - Throws: `Failure` with code `usage` for an invalid name, zone or set of rights.
    static func check(
        name: String, rights: Set<AccessRight>, zones: Set<String>?
    ) throws(Failure) {
        guard !rights.isEmpty else {
            throw Failure(
                .usage, "A token needs at least one right.",
                remedy: "Grant it read, append or prune.")
        }
        guard name.utf8.count <= 200, !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw Failure(
                .usage, "Invalid token name.", remedy: "Use one line of up to 200 bytes.")
        }
        for zone in zones ?? [] {
            guard let grant = ZoneGrant(zone) else {
                throw Failure(
                    .usage, path: zone, "Invalid zone name.",
                    remedy:
                        "Use 1 to 64 of the characters a-z 0-9 _ -, or the beginning of names and "
                        + "*; then, if it has fewer rights, a colon and these, as in public-*:read."
                )
            }
            guard grant.rights?.isSubset(of: rights) ?? true else {
                throw Failure(
                    .usage, path: zone, "The zone has a right that the token does not have.",
                    remedy: "Give the token all rights that it has in any zone.")
            }
        }
        guard zones?.isEmpty != true else {
            throw Failure(
                .usage, "A token without zones cannot access anything.",
                remedy: "Name its zones, or omit them for all zones.")
        }
    }
}
