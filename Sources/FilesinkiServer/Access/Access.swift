import FilesinkiModel
import FilesinkiRemote

/// What a token may do.
package enum AccessRight: String, CaseIterable, Hashable, Sendable {
    /// Reads, lists and watches.
    case read
    /// Adds what is new, and tidies up its own acknowledgements and probes.
    case append
    /// Deletes.
    case prune
}

/// The rights of one who asks, and the zones that they are for.
package struct Access: Hashable, Sendable {
    /// The token's id; nil where nobody needs one.
    package var tokenID: String?
    package var rights: Set<AccessRight>
    /// Nil for all.
    package var zones: Set<String>?

    package init(tokenID: String?, rights: Set<AccessRight>, zones: Set<String>?) {
        self.tokenID = tokenID
        self.rights = rights
        self.zones = zones
    }

    /// Everything, for a server without tokens.
    static let all = Access(tokenID: nil, rights: Set(AccessRight.allCases), zones: nil)

    /// Whether the zones include the one that a key, or the beginning of one, belongs to.
    ///
    /// - Parameter place: A key; or a prefix, which is reached when something below it could be.
    package func reaches(_ place: String) -> Bool {
        guard let zones else { return true }
        let names = place.split(separator: "/", omittingEmptySubsequences: false)
        switch names.first {
        case "zones": return names.count < 2 || names[1].isEmpty || zones.contains("\(names[1])")
        case "devices": return names.count < 3 || names[2].isEmpty || zones.contains("\(names[2])")
        default: return true
        }
    }

    /// Whether the zones include the key's; unlike a prefix it has to name one.
    func reaches(_ key: ObjectKey) -> Bool {
        guard let zones else { return true }
        let names = key.description.split(separator: "/")
        switch names.first {
        case "zones": return names.count >= 2 && zones.contains("\(names[1])")
        case "devices": return names.count >= 3 && zones.contains("\(names[2])")
        default: return true
        }
    }

    /// Whether the key may be deleted: its own tidying needs no right to prune. Which device is its own
    /// ``DeviceOwners`` knows.
    func mayDelete(_ key: ObjectKey) -> Bool {
        let isOwn =
            key.description.hasPrefix("devices/") || key.description.hasPrefix("probe/")
        return reaches(key)
            && (rights.contains(.prune) || isOwn && rights.contains(.append))
    }

    /// Whether it may do something to the key.
    func may(_ right: AccessRight, _ key: ObjectKey) -> Bool {
        rights.contains(right) && reaches(key)
    }
}
