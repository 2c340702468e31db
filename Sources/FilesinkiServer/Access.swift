import FilesinkiModel
import FilesinkiRemote

/// What a token allows.
package enum AccessRight: String, CaseIterable, Hashable, Sendable {
    /// Read, list and watch.
    case read
    /// Add objects, and delete the device's own acknowledgements and probes.
    case append
    /// Delete.
    case prune
}

/// The rights of a client, and the zones that they apply to.
package struct Access: Hashable, Sendable {
    /// The token's id; nil on a server without tokens.
    package var tokenID: String?
    package var rights: Set<AccessRight>
    /// Nil for all.
    package var zones: Set<String>?

    package init(tokenID: String?, rights: Set<AccessRight>, zones: Set<String>?) {
        self.tokenID = tokenID
        self.rights = rights
        self.zones = zones
    }

    /// All rights, on a server without tokens.
    static let all = Access(tokenID: nil, rights: Set(AccessRight.allCases), zones: nil)

    /// Whether the zones include a key, or may include a key that begins with a prefix.
    package func includes(prefix: String) -> Bool {
        guard let zones else { return true }
        let names = prefix.split(separator: "/", omittingEmptySubsequences: false)
        switch names.first {
        case "zones": return names.count < 2 || names[1].isEmpty || zones.contains("\(names[1])")
        case "devices": return names.count < 3 || names[2].isEmpty || zones.contains("\(names[2])")
        default: return true
        }
    }

    /// Whether the zones include the key.
    func includes(_ key: ObjectKey) -> Bool {
        guard let zones else { return true }
        let names = key.description.split(separator: "/")
        switch names.first {
        case "zones": return names.count >= 2 && zones.contains("\(names[1])")
        case "devices": return names.count >= 3 && zones.contains("\(names[2])")
        default: return true
        }
    }

    /// Whether the key may be deleted. A device's own acknowledgements and probes need no right to prune;
    /// ``DeviceOwners`` checks whose they are.
    func mayDelete(_ key: ObjectKey) -> Bool {
        let isOwn =
            key.description.hasPrefix("devices/") || key.description.hasPrefix("probe/")
        return includes(key)
            && (rights.contains(.prune) || isOwn && rights.contains(.append))
    }

    /// Whether the client may write the key. An archive takes the place of commits, so writing one needs the
    /// right to remove them.
    func mayPut(_ key: ObjectKey) -> Bool {
        let names = key.description.split(separator: "/")
        let isArchive = names.count > 2 && names[0] == "zones" && names[2] == "archives"
        return allows(.append, key) && (!isArchive || rights.contains(.prune))
    }

    /// Whether the client has a right for the key.
    func allows(_ right: AccessRight, _ key: ObjectKey) -> Bool {
        rights.contains(right) && includes(key)
    }
}

/// How a key may be written: see *Keys* in Docs/Format.md.
///
/// A slot is a folder with one member. Anything else in that folder, or in its place, would prevent clients
/// from filling the slot. So only the keys of the format are accepted in the parts of a store.
enum KeyUse {
    /// Only by a conditional PUT.
    case slot
    /// Only by a plain PUT.
    case content
    /// By either: not a part of a store, such as the objects of a probe.
    case free
    /// Not at all: the format has no such key.
    case invalid

    init(_ key: ObjectKey) {
        let names = key.description.split(separator: "/")
        switch names.first {
        case "filesinki": self = names.count == 2 && names.last == "c" ? .slot : .invalid
        case "zones" where names.count == 5 && ["parts", "archives", "packs"].contains(names[2]):
            self = .content
        case "zones", "devices": self = names.count == 5 && names.last == "c" ? .slot : .invalid
        case "packs": self = names.count == 3 ? .content : .invalid
        default: self = .free
        }
    }

    /// Rejects a PUT that the key does not allow.
    ///
    /// - Throws: ``RequestError``: 428 for a plain PUT of a slot, 400 for an invalid key.
    func checkPut(isPublication: Bool) throws(RequestError) {
        switch self {
        case .slot where !isPublication: throw .slotNeedsPublication
        case .content where isPublication, .invalid: throw .badKey
        case .slot, .content, .free: return
        }
    }
}
