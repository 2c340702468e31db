import FilesinkiHashing
package import FilesinkiModel

/// What the server keeps of a token: enough to know it again, and nothing to make it from.
package struct TokenRecord: Hashable, Sendable {
    package var id: String
    /// Random bytes that the hash begins with, so that equal secrets have different hashes.
    var salt: [UInt8]
    /// SHA-256 of the salt and the secret. The secret is random, so that a slow hash would add nothing.
    var hash: [UInt8]
    package var rights: Set<AccessRight>
    /// Nil for all.
    package var zones: Set<String>?
    package var made: Timestamp
    /// What the token is for, as its maker says.
    package var name: String

    /// Whether the secret is this token's. Takes the same time for every secret.
    func isSecret(_ secret: [UInt8]) -> Bool {
        let other = Self.hash(salt, secret)
        var difference: UInt8 = other.count == hash.count ? 0 : 1
        for (mine, theirs) in zip(hash, other) { difference |= mine ^ theirs }
        return difference == 0
    }

    static func hash(_ salt: [UInt8], _ secret: [UInt8]) -> [UInt8] {
        SHA256.hash(salt + secret)
    }

    /// What an unknown id is held against, so that it takes as long as a known one.
    static let nobody = TokenRecord(
        id: "", salt: [UInt8](repeating: 0, count: 16), hash: [UInt8](repeating: 0, count: 32),
        rights: [], zones: [], made: Timestamp(nanoseconds: 0), name: "")
}

extension TokenRecord {
    /// The record's line in the file, without its end.
    var line: String {
        let rights = AccessRight.allCases.filter(rights.contains).map(\.rawValue)
        let zones = zones.map { $0.sorted().joined(separator: ",") } ?? "*"
        return [
            id, "\(hexadecimal(salt)):\(hexadecimal(hash))", rights.joined(separator: ","), zones,
            String(made.seconds), name,
        ].joined(separator: "\t")
    }

    /// Reads a line; nil when it is malformed.
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
