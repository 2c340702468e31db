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
    /// The zones, with rights of their own; nil for all zones with all of the rights.
    package let zones: ZoneGrants?
    /// Whether the client sent no token, where others need one.
    package private(set) var isAnonymous = false

    /// - Parameter zones: Nil for all; texts that are no grants give access to nothing.
    package init(tokenID: String?, rights: Set<AccessRight>, zones: Set<String>?) {
        self.tokenID = tokenID
        self.rights = rights
        self.zones = zones.map(ZoneGrants.init)
    }

    /// What a client may do that sends no token, where the public database is everyone's to read. What devices
    /// have read of it belongs to it: a new client compares it with the log. The packs of files, other zones, and what is
    /// no part of a store do not.
    static let publicReader: Access = {
        var access = Access(tokenID: nil, rights: [.read], zones: ["public-*"])
        access.isAnonymous = true
        return access
    }()

    /// All rights, on a server without tokens.
    static let all = Access(tokenID: nil, rights: Set(AccessRight.allCases), zones: nil)

    /// Whether the client may read a key, or there may be one that begins with a prefix which it may read.
    package func includes(prefix: String) -> Bool {
        guard let zones else { return rights.contains(.read) }
        let names = prefix.split(separator: "/", omittingEmptySubsequences: false)
        switch names.first {
        case "zones":
            return names.count < 2 || names[1].isEmpty
                || zones.rights("\(names[1])", of: rights).contains(.read)
        case "devices":
            return names.count < 3 || names[2].isEmpty
                || zones.rights("\(names[2])", of: rights).contains(.read)
        case "filesinki", "": return rights.contains(.read)
        default: return rights.contains(.read) && !isAnonymous
        }
    }

    /// The rights for a key.
    private func rights(for key: ObjectKey) -> Set<AccessRight> {
        guard let zones else { return rights }
        let names = key.description.split(separator: "/")
        switch names.first {
        case "zones": return names.count >= 2 ? zones.rights("\(names[1])", of: rights) : []
        case "devices":
            return names.count >= 3 ? zones.rights("\(names[2])", of: rights) : []
        case "filesinki": return rights
        default: return isAnonymous ? [] : rights
        }
    }

    /// Whether the client may read the log of a zone.
    func mayReadLog(of zone: String) -> Bool {
        zones.map { $0.rights(zone, of: rights).contains(.read) } ?? rights.contains(.read)
    }

    /// Whether the key may be deleted. A device's own acknowledgements and probes need no right to prune;
    /// ``DeviceOwners`` checks whose they are.
    func mayDelete(_ key: ObjectKey) -> Bool {
        let isOwn =
            key.description.hasPrefix("devices/") || key.description.hasPrefix("probe/")
        let rights = rights(for: key)
        return rights.contains(.prune) || isOwn && rights.contains(.append)
    }

    /// Whether the client may write the key. An archive takes the place of commits, so writing one needs the
    /// right to remove them.
    func mayPut(_ key: ObjectKey) -> Bool {
        let names = key.description.split(separator: "/")
        let isArchive = names.count > 2 && names[0] == "zones" && names[2] == "archives"
        return allows(.append, key) && (!isArchive || allows(.prune, key))
    }

    /// Why a client is not allowed to write or delete.
    var refusal: RequestError { rights == [.read] ? .readOnly : .forbidden }

    /// Whether the client has a right for the key.
    func allows(_ right: AccessRight, _ key: ObjectKey) -> Bool {
        rights(for: key).contains(right)
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
        case "filesinki", "moved": self = names.count == 2 && names.last == "c" ? .slot : .invalid
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
