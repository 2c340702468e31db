package import FilesinkiModel
internal import FilesinkiSQLite

/// What a replica is, and what it is in step with.
package struct ReplicaIdentity: Hashable, Sendable {
    /// Who this replica's changes are by.
    package var device: Device
    /// The id of the store, to notice when another stands in its place.
    package var store: [UInt8]
    /// The store's epoch, which a restore or a reset of it changes.
    package var epoch: UInt64
    /// The zone of the store that the root is kept in.
    package var zone: String
    /// Where the remote is, as the user gave it.
    package var address: String

    package init(device: Device, store: [UInt8], epoch: UInt64, zone: String, address: String) {
        self.device = device
        self.store = store
        self.epoch = epoch
        self.zone = zone
        self.address = address
    }
}

/// The names of the settings the manifest itself gives a meaning.
enum SettingName {
    static let token = "token"
    static let deviceID = "device-id"
    static let deviceName = "device-name"
    static let store = "store"
    static let epoch = "epoch"
    static let zone = "zone"
    static let address = "address"
}

extension ManifestDatabase {
    /// How far the log has been read, or nil before the first time.
    package var token: ChangeToken? {
        get throws(Failure) {
            guard let bytes = try value(SettingName.token) else { return nil }
            guard let sequence = number(bytes.prefix(8)), let hash = ContentID(bytes.dropFirst(8))
            else { throw connection.corrupt("the token has another length") }
            return ChangeToken(sequence: sequence, hash: hash)
        }
    }

    /// What this replica is, or nil before it was said.
    package var identity: ReplicaIdentity? {
        get throws(Failure) {
            guard let id = try value(SettingName.deviceID),
                let name = try text(SettingName.deviceName),
                let store = try value(SettingName.store),
                let epoch = try value(SettingName.epoch).flatMap({ number($0[...]) }),
                let zone = try text(SettingName.zone), let address = try text(SettingName.address)
            else { return nil }
            return ReplicaIdentity(
                device: Device(id: id, name: name), store: store, epoch: epoch, zone: zone,
                address: address)
        }
    }

    /// The value of a setting that the caller gave a name and a meaning, or nil.
    package func value(_ name: String) throws(Failure) -> [UInt8]? {
        // A setting that an index has lost must not read as one that was never made; there are few.
        try setting.rows().first { $0.name == name }?.value
    }

    private func text(_ name: String) throws(Failure) -> String? {
        try value(name).map { String(decoding: $0, as: UTF8.self) }
    }

    private func number(_ bytes: ArraySlice<UInt8>) -> UInt64? {
        guard bytes.count == 8 else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension ManifestWriter {
    /// Says how far the log has been read; nil: not at all.
    package func setToken(_ token: ChangeToken?) throws(Failure) {
        try setValue(SettingName.token, token.map { bytes($0.sequence) + $0.hash.bytes })
    }

    /// Says what this replica is.
    package func setIdentity(_ identity: ReplicaIdentity) throws(Failure) {
        try setValue(SettingName.deviceID, identity.device.id)
        try setValue(SettingName.deviceName, Array(identity.device.name.utf8))
        try setValue(SettingName.store, identity.store)
        try setValue(SettingName.epoch, bytes(identity.epoch))
        try setValue(SettingName.zone, Array(identity.zone.utf8))
        try setValue(SettingName.address, Array(identity.address.utf8))
    }

    /// Gives a setting a value; nil removes it.
    package func setValue(_ name: String, _ value: [UInt8]?) throws(Failure) {
        guard let value else { return try database.setting.remove(Array(name.utf8)) }
        try database.setting.put(SettingRow(name: name, value: value))
    }

    private func bytes(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
