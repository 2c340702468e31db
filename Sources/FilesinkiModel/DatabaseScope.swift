/// One of the databases of a store, in CloudKit's words: zones whose names begin with a prefix, so that a
/// server can give rights for all of them.
///
/// The prefix has no slash, and so a zone of a database has a name like any other at every remote.
package enum DatabaseScope: Hashable, Sendable {
    /// The zones without a prefix: the standard.
    case `private`
    case `public`
    /// One of any number of databases that some share.
    case shared(String)

    private static let publicPrefix = "public-"
    private static let sharedPrefix = "shared-"
    /// How many characters the names of a shared database and of a zone in it have together, so that no zone
    /// of any generation has more than the 64 of a zone of a store.
    private static let mostCharacters = 48

    /// Reads `private`, `public` or `shared-NAME`.
    ///
    /// - Throws: `Failure` with code `usage` for anything else.
    package init(parsing text: String) throws(Failure) {
        switch text {
        case "private": self = .private
        case "public": self = .public
        default:
            let name = text.dropFirst(Self.sharedPrefix.count)
            guard text.hasPrefix(Self.sharedPrefix), Self.isName(name) else {
                throw Failure(
                    .usage, path: text, "Unknown database.",
                    remedy: "Use private, public or shared-NAME, where NAME has 1 to 40 of the "
                        + "characters a-z 0-9 _.")
            }
            self = .shared(String(name))
        }
    }

    /// A hyphen ends the name: the rest is the zone's.
    private static func isName(_ name: Substring) -> Bool {
        (1...40).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                (97...122).contains($0) || (48...57).contains($0) || $0 == 95
            }
    }

    /// What the names of its zones in the store begin with.
    package var zonePrefix: String {
        switch self {
        case .private: ""
        case .public: Self.publicPrefix
        case .shared(let name): Self.sharedPrefix + name + "-"
        }
    }

    /// Divides the name of a zone of a store into its database and the rest.
    package static func split(zone: String) -> (scope: DatabaseScope, rest: Substring) {
        if zone.hasPrefix(publicPrefix) { return (.public, zone.dropFirst(publicPrefix.count)) }
        let behind = zone.dropFirst(sharedPrefix.count)
        guard zone.hasPrefix(sharedPrefix), let end = behind.firstIndex(of: "-"),
            isName(behind[..<end])
        else { return (.private, zone[...]) }
        return (.shared(String(behind[..<end])), behind[end...].dropFirst())
    }

    /// Refuses a zone whose name would be too long in the store.
    ///
    /// - Throws: `Failure` with code `usage`.
    package func check(zone: String) throws(Failure) {
        guard case .shared(let name) = self,
            name.utf8.count + zone.utf8.count > Self.mostCharacters
        else { return }
        throw Failure(
            .usage, path: "\(self)/\(zone)",
            "The names of a shared database and of its zone have more than 48 characters together.",
            remedy: "Use a shorter name for one of them.")
    }
}

extension DatabaseScope: CustomStringConvertible {
    package var description: String {
        switch self {
        case .private: "private"
        case .public: "public"
        case .shared(let name): Self.sharedPrefix + name
        }
    }
}
