import FilesinkiEncryption
package import FilesinkiModel
package import FilesinkiRemote
package import FilesinkiStore

/// Where a zone of items of a replica is, and how it reaches its remote.
package struct ItemPlace<Kind: ItemKind>: Sendable {
    /// The replica's state folder, which exists.
    package var state: String
    /// The zone's name: 1 to 48 of `a-z 0-9 _ -`.
    package var name: String
    /// The database that the zone is in.
    package var scope: DatabaseScope
    package var device: Device
    /// The remote's address; nil for none.
    package var address: String?
    /// Identifies the key of an encrypted store, which the state folder holds; nil for a store that is not encrypted.
    package var keyFingerprint: String?
    package var systemContext: SystemContext
    /// Opens the remote of an address.
    package var connect: @Sendable (String) throws -> any Remote

    /// Gives the replica a new device id, because a copy of it publishes with the one that is given; the
    /// present one where it has another already.
    package var renewDevice: @Sendable ([UInt8]) async throws -> Device

    /// How much one published commit may hold.
    package var commitLimits = CommitLimits.standard

    /// The name of the zone when none is given.
    package static var standardName: String { "default" }

    package init(
        state: String, name: String = standardName, scope: DatabaseScope = .private,
        device: Device, address: String?, keyFingerprint: String? = nil,
        systemContext: SystemContext,
        connect: @escaping @Sendable (String) throws -> any Remote,
        renewDevice: @escaping @Sendable ([UInt8]) async throws -> Device
    ) {
        self.state = state
        self.name = name
        self.scope = scope
        self.device = device
        self.address = address
        self.keyFingerprint = keyFingerprint
        self.systemContext = systemContext
        self.connect = connect
        self.renewDevice = renewDevice
    }

    func openRemote() throws -> any Remote {
        guard let address else { throw Failure.noRemote() }
        return try StoreKey.seal(
            connect(address), fingerprint: keyFingerprint,
            keyIn: state + "/" + StoreKey.fileName, systemContext)
    }

    /// Whether the store has a commit of the zone's first generation. Needs no file on this device. One request.
    package func isStored() async throws -> Bool {
        try await StoreListing.hasLog(of: storeZone(generation: 1), at: openRemote())
    }

    package var folder: String { Self.folder(in: state, scope) }
    package var file: String { Self.file(of: name, in: state, scope) }

    /// How a person names the zone: of the private database by its name alone.
    package var title: String { scope == .private ? name : "\(scope)/\(name)" }

    /// The options with which a command of the kind uses the zone, behind a blank; empty for the standard ones.
    package var database: String { scope == .private ? "" : " --db \(scope)" }

    /// The folder of the files of this kind in a state folder: those of the private database, and a folder for
    /// each other one.
    package static func folder(in state: String, _ scope: DatabaseScope = .private) -> String {
        state + "/" + Kind.names.folder + (scope == .private ? "" : "/\(scope)")
    }

    /// The file of a zone in a state folder.
    package static func file(
        of name: String, in state: String, _ scope: DatabaseScope = .private
    ) -> String {
        folder(in: state, scope) + "/" + name + ".sqlite"
    }

    /// The zone's name in the store. Each generation of a zone has a log of its own.
    func storeZone(generation: UInt64) -> String {
        scope.zonePrefix + Kind.names.storeZone(name, generation: generation)
    }

    /// Checks the names of the zone and of its database.
    ///
    /// - Throws: `Failure` with code `usage` for an invalid name.
    package func check() throws(Failure) {
        try Self.check(name: name)
        try scope.check(zone: name)
    }

    /// Checks the name of a zone.
    ///
    /// - Throws: `Failure` with code `usage` for an invalid name.
    package static func check(name: String) throws(Failure) {
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789_-".utf8)
        guard (1...48).contains(name.utf8.count), name.utf8.allSatisfy(allowed.contains) else {
            throw Failure(
                .usage, path: name, "Invalid name of a \(Kind.names.zone).",
                remedy: "Use 1 to 48 of the characters a-z 0-9 _ -.")
        }
    }
}
