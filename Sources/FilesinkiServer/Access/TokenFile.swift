package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// The file in which a server keeps its tokens, one on each line: see Docs/Protocol.md.
package struct TokenFile: Sendable {
    package let path: String

    /// The most tokens.
    private static let limit = 10_000

    package init(path: String) { self.path = path }

    private var file: PrivateFile { PrivateFile(path) }

    /// Whether there is a file, also one without a token. What cannot be known counts as yes.
    package var exists: Bool {
        FileStamp(at: path, followingSymlinks: true) != nil || !SystemError.last.isMissing
    }

    /// Makes a token and keeps its record. The file is made when it is missing.
    ///
    /// - Parameters:
    ///   - name: What it is for: one line of up to 200 bytes.
    ///   - zones: Nil for all.
    /// - Returns: The token, which cannot be had again.
    /// - Throws: `Failure`: `usage` for a name, zones or rights that cannot be; `not-allowed`, `full`,
    ///   `io`, `limit`.
    package func make(
        name: String, rights: Set<AccessRight>, zones: Set<String>?, _ systemContext: SystemContext
    ) throws(Failure) -> (token: AccessToken, record: TokenRecord) {
        try Self.check(name: name, rights: rights, zones: zones)
        let token = AccessToken(systemContext)
        let salt = systemContext.randomBytes(16)
        let record = TokenRecord(
            id: token.id, salt: salt, hash: TokenRecord.hash(salt, token.secret), rights: rights,
            zones: zones, made: systemContext.now(), name: name)
        try file.locked { () throws(Failure) in
            let records = try list()
            guard records.count < Self.limit, !records.contains(where: { $0.id == token.id }) else {
                throw Failure(
                    .limit, path: path, "No token can be added.",
                    remedy: "Revoke tokens that are not in use.")
            }
            try write(records + [record])
        }
        return (token, record)
    }

    /// All records, in the order in which they were made; none when there is no file.
    ///
    /// - Throws: `Failure`: `not-allowed` when others may read the file, `corrupt`, `io`.
    package func list() throws(Failure) -> [TokenRecord] {
        guard let bytes = try file.read() else { return [] }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw malformed }
        var records: [TokenRecord] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let record = TokenRecord(line: line) else { throw malformed }
            records.append(record)
        }
        return records
    }

    /// Takes a token back. A running server sees it within a second.
    ///
    /// - Returns: False when there is no token of this id.
    /// - Throws: As ``make(name:rights:zones:_:)`` does.
    package func revoke(id: String) throws(Failure) -> Bool {
        try file.locked { () throws(Failure) in
            let records = try list()
            let rest = records.filter { $0.id != id }
            guard rest.count < records.count else { return false }
            try write(rest)
            return true
        }
    }

    private func write(_ records: [TokenRecord]) throws(Failure) {
        let head = "# The tokens of a filesinki server. Change them with filesinki serve token.\n"
        let text = head + records.map { $0.line + "\n" }.joined()
        try file.replace(with: Array(text.utf8))
    }

    private var malformed: Failure {
        Failure(
            .corrupt, path: path, "The file of the tokens is malformed.",
            remedy: "Mend it, or remove it and make the tokens again.")
    }

    private static func check(
        name: String, rights: Set<AccessRight>, zones: Set<String>?
    ) throws(Failure) {
        guard !rights.isEmpty else {
            throw Failure(
                .usage, "A token needs a right.", remedy: "Give it read, append or prune.")
        }
        guard name.utf8.count <= 200, !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw Failure(
                .usage, "This is not a name for a token.", remedy: "Use one line of 200 bytes.")
        }
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789_-".utf8)
        for zone in zones ?? [] {
            guard (1...64).contains(zone.utf8.count), zone.utf8.allSatisfy(allowed.contains) else {
                throw Failure(
                    .usage, path: zone, "This is not a name of a zone.",
                    remedy: "Use 1 to 64 of the characters a-z 0-9 _ -.")
            }
        }
        guard zones?.isEmpty != true else {
            throw Failure(
                .usage, "A token without zones reaches nothing.",
                remedy: "Name its zones, or leave them out for all.")
        }
    }
}
