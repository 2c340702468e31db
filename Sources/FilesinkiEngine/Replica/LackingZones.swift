package import FilesinkiModel
package import FilesinkiRemote

/// Names the zones of values and records of which a store lacks the last commit that this device has seen. The engine itself
/// knows the zone of files only.
///
/// It is given the remote, without encryption, and the id of the store there.
package typealias LackingZones = @Sendable (any Remote, [UInt8]) async throws -> [String]

extension Replica {
    /// Changes the address of the remote: see ``SyncEngine/setRemote(_:acceptingOther:_:lacking:)``.
    @discardableResult
    package func setRemote(
        _ address: String, acceptingOther: Bool, _ keys: KeyOptions = .none,
        lacking zones: LackingZones = { _, _ in [] }
    ) async throws -> [Failure] {
        try await SyncEngine(context).setRemote(
            address, acceptingOther: acceptingOther, keys, lacking: zones)
    }
}
