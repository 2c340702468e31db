/// A zone, or all whose names begin in one way, and what may be done there.
///
/// As text `NAME` or `BEGIN*`, with `:RIGHT+RIGHT` behind it for rights of its own. A program that knows names alone
/// grants nothing for the other forms.
struct ZoneGrant: Hashable, Sendable {
    /// The name, or how names begin.
    let name: String
    let isPrefix: Bool
    /// Nil for the rights of the token.
    let rights: Set<AccessRight>?

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        isPrefix = parts[0].hasSuffix("*")
        name = String(isPrefix ? parts[0].dropLast() : parts[0][...])
        guard (isPrefix ? 0...64 : 1...64).contains(name.utf8.count),
            name.utf8.allSatisfy(Self.nameBytes.contains)
        else { return nil }
        guard parts.count == 2 else {
            rights = nil
            return
        }
        var rights: Set<AccessRight> = []
        for word in parts[1].split(separator: "+", omittingEmptySubsequences: false) {
            guard let right = AccessRight(rawValue: String(word)) else { return nil }
            rights.insert(right)
        }
        self.rights = rights
    }

    private static let nameBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789_-".utf8)

    func includes(_ zone: String) -> Bool { isPrefix ? zone.hasPrefix(name) : zone == name }
}

/// What a client may do in which zones. Of several grants for a zone the most exact one counts.
package struct ZoneGrants: Hashable, Sendable {
    /// The most exact first: a name before each prefix, a longer prefix before a shorter one.
    private let grants: [ZoneGrant]

    init(_ texts: Set<String>) {
        grants = texts.compactMap { ZoneGrant($0) }.sorted { one, other in
            one.isPrefix == other.isPrefix
                ? (one.name.utf8.count, one.name) > (other.name.utf8.count, other.name)
                : other.isPrefix
        }
    }

    /// The rights for a zone.
    ///
    /// - Parameter rights: What a grant without rights of its own gives.
    func rights(_ zone: String, of rights: Set<AccessRight>) -> Set<AccessRight> {
        guard let grant = grants.first(where: { $0.includes(zone) }) else { return [] }
        return grant.rights.map(rights.intersection) ?? rights
    }
}
