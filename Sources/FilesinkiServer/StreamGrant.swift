package import FilesinkiModel

/// What the one client of a server over standard streams may do. Who may connect is decided by who starts the
/// server, such as sshd.
package struct StreamGrant: Hashable, Sendable {
    package var rights: Set<AccessRight>
    /// Nil for all.
    package var zones: Set<String>?
    /// By which its devices are told from those of others, as by a token's name; nil for no one's.
    package var name: String?

    /// What the id of an owner begins with that is a name, where others are ids of tokens.
    private static let namePrefix = "="

    /// - Throws: `Failure` with code `usage` for an invalid name or zone, or no right.
    package init(
        rights: Set<AccessRight> = Set(AccessRight.allCases), zones: Set<String>? = nil,
        name: String? = nil
    ) throws(Failure) {
        try TokenFile.check(name: name ?? "", rights: rights, zones: zones)
        guard name?.isEmpty != true else {
            throw Failure(
                .usage, "The name of the client is empty.", remedy: "Give a name, or leave it out.")
        }
        self.rights = rights
        self.zones = zones
        self.name = name
    }

    var access: Access {
        Access(tokenID: name.map { Self.namePrefix + $0 }, rights: rights, zones: zones)
    }

    /// The name of an owner of devices; nil for the id of a token.
    static func name(ofOwner id: String) -> String? {
        id.hasPrefix(namePrefix) ? String(id.dropFirst(namePrefix.count)) : nil
    }
}
