package import FilesinkiModel
package import FilesinkiRemote
import SwiftProtobuf

/// How far a device has read a zone, and when. Pruning must keep later commits.
package struct Acknowledgement: Hashable, Sendable {
    package var device: Device
    /// The last commit that the device has applied.
    package var token: ChangeToken
    package var time: Timestamp

    package init(device: Device, token: ChangeToken, time: Timestamp) {
        self.device = device
        self.token = token
        self.time = time
    }
}

/// The acknowledgements of one zone by the devices of a store.
package struct DeviceRegistry: Sendable {
    let remote: any Remote
    private let store: [UInt8]
    private let zone: String

    static let prefix = "devices/"

    /// The number of keys per listing request.
    static let page = 1000

    /// The maximum stored length of a record.
    private static let maximumStoredLength: Int64 = 8192

    /// - Parameters:
    ///   - zone: 1 to 64 of `a-z 0-9 _ -`.
    ///   - store: The description of the store, from ``StoreFormat/read(from:)``.
    /// - Throws: `Failure` with code `usage` when the zone's name is invalid.
    package init(remote: any Remote, zone: String, store: StoreFormat) throws(Failure) {
        try StoreLayout.check(zone: zone)
        self.remote = remote
        self.store = store.id
        self.zone = zone
    }

    /// Stores an acknowledgement and removes the device's earlier ones.
    ///
    /// - Parameter removingEarlier: False to leave them to the next one, which saves two requests.
    /// - Returns: False when the device has acknowledged this commit before, perhaps under another name: that stays.
    /// - Throws: What the remote throws.
    @discardableResult
    package func acknowledge(
        _ acknowledgement: Acknowledgement, removingEarlier: Bool = true
    ) async throws -> Bool {
        let prefix = StoreLayout.acknowledgements(of: acknowledgement.device.id, zone: zone)
        let slot = try StoreLayout.slot(prefix, acknowledgement.token.sequence)
        var message = StoredAcknowledgement()
        message.store = field(store)
        message.author = StoredAuthor(acknowledgement.device)
        message.zone = zone
        message.sequence = acknowledgement.token.sequence
        message.hash = field(acknowledgement.token.hash.bytes)
        message.time = acknowledgement.time.nanoseconds
        let outcome = try await remote.publish(
            Envelope.seal(serialized(message), as: .acknowledgement), to: slot)
        guard removingEarlier else { return outcome == .mine }
        for object in try await remote.list(prefix: prefix, after: nil, limit: Self.page)
        where object.key != slot {
            // Including later ones: those belong to a history that the store has left.
            try await remote.delete(object.key)
        }
        return outcome == .mine
    }

    /// The number of the last commit that any device has acknowledged, 0 without acknowledgements, and whether a
    /// device has one: that which another device has forgotten has none. Lists keys only.
    ///
    /// - Parameter id: The device's 16 bytes.
    /// - Throws: What the remote throws.
    package func lastAcknowledged(
        lookingFor id: [UInt8]
    ) async throws -> (last: UInt64, isKnown: Bool) {
        var found = (last: UInt64(0), isKnown: false)
        let own = StoreLayout.acknowledgements(of: id, zone: zone)
        try await remote.listPages(prefix: Self.prefix) { page in
            for object in page where isOfThisZone(object.key) {
                let key = object.key.description
                found.last = max(found.last, UInt64(key.split(separator: "/")[3]) ?? 0)
                if key.hasPrefix(own) { found.isKnown = true }
            }
        }
        return found
    }

    /// The newest acknowledgement of each device, sorted by device id.
    ///
    /// - Parameter skipped: Receives the failure of each unreadable record.
    /// - Throws: What the remote throws.
    package func all(skipped: @Sendable (Failure) -> Void = { _ in }) async throws
        -> [Acknowledgement]
    {
        var newest: [[UInt8]: Acknowledgement] = [:]
        try await remote.listPages(prefix: Self.prefix) { page in
            for (key, stored) in try await read(page.map(\.key).filter(isOfThisZone)) {
                do throws(Failure) {
                    let acknowledgement = try decode(stored, key: key.description)
                    let known = newest[acknowledgement.device.id]?.token.sequence ?? 0
                    if acknowledgement.token.sequence >= known {
                        newest[acknowledgement.device.id] = acknowledgement
                    }
                } catch {
                    skipped(error)
                }
            }
        }
        return newest.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    /// Reads records with one request. Missing ones are left out.
    private func read(_ keys: [ObjectKey]) async throws -> [(ObjectKey, [UInt8])] {
        let replies = try await remote.replies(
            to: keys.map { ObjectRequest($0, range: 0..<Self.maximumStoredLength) })
        return zip(keys, replies).compactMap { key, reply in
            guard case .bytes(let stored) = reply else { return nil }
            return (key, stored)
        }
    }

    private func isOfThisZone(_ key: ObjectKey) -> Bool {
        let names = key.description.split(separator: "/")
        return names.count == 5 && names[2] == zone && names[4] == StoreLayout.member
    }

    private func decode(_ stored: [UInt8], key: String) throws(Failure) -> Acknowledgement {
        let plain = try Envelope.open(stored, as: .acknowledgement, key: key)
        let message: StoredAcknowledgement = try parsed(plain, key: key)
        guard array(message.store) == store, message.zone == zone,
            let device = Device(message.author), let hash = ContentID(array(message.hash)),
            key.hasPrefix(StoreLayout.acknowledgements(of: device.id, zone: zone))
        else { throw Envelope.damaged(key, "The record is in the wrong place.") }
        return Acknowledgement(
            device: device, token: ChangeToken(sequence: message.sequence, hash: hash),
            time: Timestamp(nanoseconds: message.time))
    }
}

extension DeviceRegistry {
    /// Removes all acknowledgements of a device, in every zone.
    ///
    /// - Parameter id: The device's 16 bytes.
    /// - Throws: What the remote throws.
    package func forget(_ id: [UInt8]) async throws {
        let prefix = "\(Self.prefix)\(hexadecimal(id))/"
        while true {
            let objects = try await remote.list(prefix: prefix, after: nil, limit: Self.page)
            if objects.isEmpty { return }
            for object in objects { try await remote.delete(object.key) }
        }
    }
}
