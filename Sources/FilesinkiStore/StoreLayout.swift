package import FilesinkiModel
package import FilesinkiRemote

/// The keys of a store.
enum StoreLayout {
    /// The number of digits of a sequence number in a key. Zero-padded, so that keys sort by
    /// number.
    static let digits = 20

    /// The name of the only member in the folder of a write-once slot.
    static let member = "c"

    /// The slot of the store's description.
    static let format = MisplacedStore.storeMark

    /// The slot of the note that the store was moved.
    static let move = "moved/c"

    /// The length of the id in the name of a key object, in bytes.
    static let keyIDLength = 16

    /// The length of the id in the name of an archive, in bytes.
    static let archiveIDLength = 16

    /// The maximum length of a zone's name, in bytes.
    static let maximumZoneLength = 64

    /// The prefix of all keys of a zone; ends with a slash.
    static func everything(of zone: String) -> String { "zones/\(zone)/" }

    /// The prefix of a zone's commits; ends with a slash.
    static func log(of zone: String) -> String { "zones/\(zone)/log/" }

    /// The prefix of the archives of a zone's commits; ends with a slash.
    static func archives(of zone: String) -> String { "zones/\(zone)/archives/" }

    /// The key of an archive below a prefix.
    ///
    /// - Parameters:
    ///   - last: The last commit in it.
    ///   - id: 16 random bytes.
    static func archive(
        _ prefix: String, last: UInt64, id: [UInt8]
    ) throws(Failure) -> ObjectKey {
        try ObjectKey("\(prefix)\(name(last))/\(hexadecimal(id))")
    }

    /// The last commit of the archive with a key below `prefix`; nil for other keys.
    static func lastArchived(_ key: ObjectKey, below prefix: String) -> UInt64? {
        let names = key.description.dropFirst(prefix.utf8.count).split(separator: "/")
        guard key.description.hasPrefix(prefix), names.count == 2,
            bytes(hexadecimal: String(names[1]))?.count == archiveIDLength
        else { return nil }
        return sequence(named: names[0])
    }

    /// The number that a name was made of by ``name(_:)``; nil for other names.
    private static func sequence(named name: Substring) -> UInt64? {
        guard name.utf8.count == digits, name.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return UInt64(name)
    }

    /// The prefix of the packs of a zone; ends with a slash.
    ///
    /// - Parameter zone: Nil for the zone of files.
    static func packs(of zone: String?) -> String { zone.map { "zones/\($0)/packs/" } ?? "packs/" }

    /// The prefix of a zone's checkpoints; ends with a slash.
    static func checkpoints(of zone: String) -> String { "zones/\(zone)/checkpoints/" }

    /// The prefix of the parts of a zone's large checkpoints, named by hash; ends with a slash.
    static func parts(of zone: String) -> String { "zones/\(zone)/parts/" }

    /// The prefix of a device's acknowledgements of a zone; ends with a slash.
    static func acknowledgements(of device: [UInt8], zone: String) -> String {
        "devices/\(hexadecimal(device))/\(zone)/"
    }

    /// The name of a sequence number below a prefix.
    static func name(_ sequence: UInt64) -> String {
        let text = String(sequence)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// The slot of a sequence number below a prefix.
    ///
    /// - Throws: `Failure` with code `bad-path` when the zone's name is invalid in a key.
    static func slot(_ prefix: String, _ sequence: UInt64) throws(Failure) -> ObjectKey {
        try ObjectKey("\(prefix)\(name(sequence))/\(member)")
    }

    /// The sequence number in the key of a slot below `prefix`; nil for other keys.
    static func sequence(of key: ObjectKey, below prefix: String) -> UInt64? {
        let names = key.description.dropFirst(prefix.utf8.count).split(separator: "/")
        guard key.description.hasPrefix(prefix), names.count == 2, names[1] == member else {
            return nil
        }
        return sequence(named: names[0])
    }

    /// Checks the name of a zone: 1 to 64 of `a-z 0-9 _ -`.
    ///
    /// - Throws: `Failure` with code `usage` for any other name.
    static func check(zone: String) throws(Failure) {
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789_-".utf8)
        guard (1...maximumZoneLength).contains(zone.utf8.count),
            zone.utf8.allSatisfy(allowed.contains)
        else {
            throw Failure(
                .usage, path: zone, "Invalid zone name.",
                remedy: "Use 1 to \(maximumZoneLength) of the characters a-z 0-9 _ -.")
        }
    }
}

/// The objects of a store by kind, from their keys alone.
package struct StoreListing: Sendable {
    /// The slots of one zone.
    package struct Zone: Sendable {
        /// The numbers of commits and of checkpoints, ascending.
        package fileprivate(set) var commits: [UInt64] = []
        package fileprivate(set) var checkpoints: [UInt64] = []
        /// The keys of the archives of commits, in the order of the last commit in each.
        package fileprivate(set) var archives: [ObjectKey] = []
        /// The last commit that each device has acknowledged, by the device's key.
        package fileprivate(set) var acknowledged: [String: UInt64] = [:]
    }

    /// The zones by name.
    package private(set) var zones: [String: Zone] = [:]
    /// The sizes of packs in bytes, by id.
    package private(set) var packs: [[UInt8]: Int64] = [:]
    /// The zones of the packs of other zones than that of files, by id.
    package private(set) var packZones: [[UInt8]: String] = [:]
    /// The parts of large checkpoints, each named by the hash of its bytes.
    package private(set) var parts: [(key: ObjectKey, hash: ContentID)] = []
    /// The total number of objects.
    package private(set) var count = 0
    /// Keys that are not part of the format; readers ignore them.
    package private(set) var others: [ObjectKey] = []

    /// The number and the size of the objects of each kind.
    package private(set) var totals: [Kind: Total] = [:]

    /// What an object is, by its key.
    package enum Kind: Sendable {
        case commits, archives, checkpoints, checkpointParts, packs, assetPacks, acknowledgements,
            format, keys, foreign
    }

    /// A number of objects and their size.
    package struct Total: Hashable, Sendable {
        package var count = 0
        package var bytes: Int64 = 0

        package init() {}
    }

    /// Lists all objects of a store. Memory is proportional to their number.
    ///
    /// - Throws: What the remote throws.
    package static func read(from remote: any Remote) async throws -> StoreListing {
        var listing = StoreListing()
        for prefix in ["devices/", "filesinki/", "keys/", "packs/", "zones/"] {
            try await remote.listPages(prefix: prefix) { page in
                for object in page { listing.add(object) }
            }
        }
        return listing
    }

    private mutating func add(_ object: ObjectInfo) {
        count += 1
        let names = object.key.description.split(separator: "/").map(String.init)
        let kind = add(object, names) ?? .foreign
        if kind == .foreign { others.append(object.key) }
        totals[kind, default: Total()].count += 1
        totals[kind, default: Total()].bytes += object.size
    }

    /// - Returns: The kind of the object; nil for a key that is not part of the format.
    private mutating func add(_ object: ObjectInfo, _ names: [String]) -> Kind? {
        switch (names.first, names.count) {
        case ("filesinki", 2): return names[1] == StoreLayout.member ? .format : nil
        case ("keys", 2):
            return bytes(hexadecimal: names[1])?.count == StoreLayout.keyIDLength ? .keys : nil
        case ("packs", 3):
            guard let id = bytes(hexadecimal: names[2]), id.count == PackReference.idLength else {
                return nil
            }
            packs[id] = object.size
            return .packs
        case ("zones", 5), ("devices", 5): return addSlot(object.key, names, size: object.size)
        default: return nil
        }
    }

    private mutating func addSlot(
        _ key: ObjectKey, _ names: [String], size: Int64
    ) -> Kind? {
        if names[2] == "parts", names[0] == "zones",
            let hash = bytes(hexadecimal: names[4]).flatMap(ContentID.init)
        {
            parts.append((key, hash))
            return .checkpointParts
        }
        if names[2] == "packs", names[0] == "zones",
            let id = bytes(hexadecimal: names[4]), id.count == PackReference.idLength
        {
            packZones[id] = names[1]
            packs[id] = size
            return .assetPacks
        }
        if names[2] == "archives", names[0] == "zones",
            StoreLayout.lastArchived(key, below: StoreLayout.archives(of: names[1])) != nil
        {
            zones[names[1], default: Zone()].archives.append(key)
            return .archives
        }
        guard names[4] == StoreLayout.member, names[3].utf8.count == StoreLayout.digits,
            let sequence = UInt64(names[3])
        else { return nil }
        switch (names[0], names[2]) {
        case ("zones", "log"):
            zones[names[1], default: Zone()].commits.append(sequence)
            return .commits
        case ("zones", "checkpoints"):
            zones[names[1], default: Zone()].checkpoints.append(sequence)
            return .checkpoints
        case ("devices", let zone):
            let known = zones[zone, default: Zone()].acknowledged[names[1]] ?? 0
            zones[zone, default: Zone()].acknowledged[names[1]] = max(known, sequence)
            return .acknowledgements
        default: return nil
        }
    }
}

extension StoreListing {
    /// The names of the zones that have objects, one listing for each.
    ///
    /// - Throws: What the remote throws.
    package static func zoneNames(at remote: any Remote) async throws -> [String] {
        var names: [String] = []
        var after: ObjectKey?
        while let found = try await remote.list(prefix: "zones/", after: after, limit: 1).first {
            let parts = found.key.description.split(separator: "/")
            guard parts.count > 1 else { break }
            names.append(String(parts[1]))
            // A key behind all of the zone's: 0 is the character after the slash.
            after = try ObjectKey("zones/\(parts[1])0")
        }
        return names
    }
}

extension StoreListing {
    /// Whether a zone holds a commit or a checkpoint. One request.
    ///
    /// - Throws: What the remote throws.
    package static func hasLog(of zone: String, at remote: any Remote) async throws -> Bool {
        try await hasLog(below: StoreLayout.everything(of: zone), at: remote)
    }

    static func hasLog(below prefix: String, at remote: any Remote) async throws -> Bool {
        // A pack is stored before the commit that names it. Keys of commits, archives and checkpoints come before.
        let first = try await remote.list(prefix: prefix, after: nil, limit: 1).first
        return first.map { !$0.key.description.hasPrefix(prefix + "packs/") } ?? false
    }
}

extension StoreListing {
    /// The packs of a zone that are at the remote: their sizes in bytes, by id.
    ///
    /// - Throws: What the remote throws.
    package static func packs(
        of zone: String, at remote: any Remote
    ) async throws -> [[UInt8]: Int64] {
        var sizes: [[UInt8]: Int64] = [:]
        try await remote.listPages(prefix: StoreLayout.packs(of: zone)) { page in
            for object in page {
                guard let id = PackReference.id(in: object.key, of: zone) else { continue }
                sizes[id] = object.size
            }
        }
        return sizes
    }

    /// Where writers may have staged objects: prefixes that end with a slash, empty for the store's own folder.
    ///
    /// Lists neither commits nor packs of files. What it lists grows with the devices, the archives and the
    /// packs of other zones.
    ///
    /// - Throws: What the remote throws.
    package static func stagingFolders(at remote: any Remote) async throws -> [String] {
        var folders: Set<String> = ["", "keys/"]
        for shard in UInt8.min...UInt8.max { folders.insert("packs/\(hexadecimal([shard]))/") }
        var prefixes = ["devices/"]
        for zone in try await zoneNames(at: remote) {
            folders.formUnion([StoreLayout.log(of: zone), StoreLayout.checkpoints(of: zone)])
            prefixes += [
                StoreLayout.archives(of: zone), StoreLayout.parts(of: zone),
                StoreLayout.packs(of: zone),
            ]
        }
        for prefix in prefixes {
            try await remote.listPages(prefix: prefix) { page in
                folders.formUnion(page.map { stagingFolder(of: $0.key) })
            }
        }
        return folders.sorted()
    }

    /// A slot is staged beside its folder, any other object beside itself.
    private static func stagingFolder(of key: ObjectKey) -> String {
        key.folders.dropLast(key.isSlot ? 1 : 0).map { $0 + "/" }.joined()
    }
}

extension Remote {
    /// Lists all objects below a prefix, 1,000 with each request. A ``FolderRemote`` lists four times as many with
    /// each, up to 64,000: so it reads the names of a folder with a million objects nineteen times, not a thousand.
    ///
    /// - Parameters:
    ///   - after: The key to begin after; nil for the first.
    ///   - body: Receives the objects of each request.
    /// - Throws: Errors of the remote and of `body`.
    package func listPages(
        prefix: String, after: ObjectKey? = nil, _ body: ([ObjectInfo]) async throws -> Void
    ) async throws {
        let growth = unwrapped(as: (any FolderRemote).self) == nil ? 1 : 4
        var limit = 1000
        var last = after
        while true {
            let page = try await list(prefix: prefix, after: last, limit: limit)
            try await body(page)
            guard let end = page.last?.key, page.count == limit else { return }
            last = end
            limit = min(limit * growth, 64_000)
        }
    }

    /// Sends several requests with ``FilesinkiRemote/Remote/read(_:)`` and checks that the replies
    /// match them.
    ///
    /// - Throws: `Failure` with code `io` when the replies do not match the requests; errors of
    ///   the remote.
    func replies(to requests: [ObjectRequest]) async throws -> [ObjectReply] {
        guard !requests.isEmpty else { return [] }
        let replies = try await read(requests)
        let areFit =
            replies.count == requests.count
            && zip(requests, replies).allSatisfy { $0.known != nil || $1 != .same }
        guard areFit else {
            throw Failure(
                .io, path: address, "The remote's replies do not match the requests.",
                remedy: "Run again; if this persists, the server may be faulty.")
        }
        return replies
    }
}
