package import FilesinkiModel
package import FilesinkiRemote

/// What a store's keys say of it: every object, by what it is.
package struct StoreListing: Sendable {
    /// The slots of one zone.
    package struct Zone: Sendable {
        /// The numbers of commits and of checkpoints, ascending.
        package fileprivate(set) var commits: [UInt64] = []
        package fileprivate(set) var checkpoints: [UInt64] = []
        /// The last commit that each device says it has seen, by the device's key.
        package fileprivate(set) var acknowledged: [String: UInt64] = [:]
    }

    /// By the zones' names.
    package private(set) var zones: [String: Zone] = [:]
    /// The packs, by their ids, with their sizes in bytes.
    package private(set) var packs: [[UInt8]: Int64] = [:]
    /// The parts of large checkpoints, each named by the hash of its bytes.
    package private(set) var parts: [(key: ObjectKey, hash: ContentID)] = []
    /// How many objects there are in all.
    package private(set) var count = 0
    /// Keys that are not of this format; a reader passes over them.
    package private(set) var others: [ObjectKey] = []

    /// How many keys are asked for at once.
    private static let page = 1000

    /// Lists all that a store holds.
    ///
    /// - Throws: What the remote throws.
    package static func read(from remote: any Remote) async throws -> StoreListing {
        var listing = StoreListing()
        for prefix in ["devices/", "filesinki/", "packs/", "zones/"] {
            var last: ObjectKey?
            while true {
                let page = try await remote.list(prefix: prefix, after: last, limit: Self.page)
                for object in page { listing.add(object) }
                guard let end = page.last?.key, page.count == Self.page else { break }
                last = end
            }
        }
        return listing
    }

    private mutating func add(_ object: ObjectInfo) {
        count += 1
        let names = object.key.description.split(separator: "/").map(String.init)
        switch (names.first, names.count) {
        case ("filesinki", 2) where names[1] == StoreLayout.member: return
        case ("packs", 3):
            guard let id = bytes(hexadecimal: names[2]), id.count == PackReference.idLength else {
                return others.append(object.key)
            }
            packs[id] = object.size
        case ("zones", 5), ("devices", 5): addSlot(object.key, names)
        default: others.append(object.key)
        }
    }

    private mutating func addSlot(_ key: ObjectKey, _ names: [String]) {
        if names[2] == "parts", names[0] == "zones",
            let hash = bytes(hexadecimal: names[4]).flatMap(ContentID.init)
        {
            return parts.append((key, hash))
        }
        guard names[4] == StoreLayout.member, names[3].utf8.count == StoreLayout.digits,
            let sequence = UInt64(names[3])
        else { return others.append(key) }
        switch (names[0], names[2]) {
        case ("zones", "log"): zones[names[1], default: Zone()].commits.append(sequence)
        case ("zones", "checkpoints"):
            zones[names[1], default: Zone()].checkpoints.append(sequence)
        case ("devices", let zone):
            let known = zones[zone, default: Zone()].acknowledged[names[1]] ?? 0
            zones[zone, default: Zone()].acknowledged[names[1]] = max(known, sequence)
        default: others.append(key)
        }
    }
}
