import FilesinkiEngine
import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRemote

/// A zone of values or records that cannot go on with the store as it is, such as an older copy that was put back. A
/// run of files does not look at these zones.
struct StoppedZone {
    /// What the zone holds, such as `values`; `remote` where no zone could be looked at.
    let items: String
    /// What its exchange would fail with, or why that is not known.
    let failure: Failure
    /// How a message names the zone; empty where its name is not known.
    var title = ""
}

extension StoppedZone {
    /// - Parameter zone: The name of the zone.
    /// - Throws: The error, if somebody has stopped the command.
    init(_ items: String, _ zone: String, thrown error: any Error) throws {
        let failure = error as? Failure
        if error is CancellationError || failure?.code == .interrupted { throw error }
        self.init(items: items, failure: failure ?? .io(error, at: zone))
    }
}

extension [Failure] {
    /// These, and others that are not among them. Two of one path are the same; without a path, two of one message.
    func adding(_ others: [Failure]) -> [Failure] {
        let paths = Set(map(\.path))
        let messages = Set(filter(\.path.isEmpty).map(\.message))
        return self
            + others.filter {
                $0.path.isEmpty ? !messages.contains($0.message) : !paths.contains($0.path)
            }
    }
}

extension Console {
    /// The zones whose log at the store lacks the last commit that this device has seen of it, and those of which that
    /// cannot be told. One request for each zone that was synced.
    ///
    /// - Throws: What ends the command, because somebody has stopped it.
    func stoppedZones(_ settings: ReplicaOptions) async throws -> [StoppedZone] {
        let config: ReplicaConfig
        let remote: any Remote
        do {
            config = try ReplicaConfig.read(settings)
            guard let address = config.remote else { return [] }
            remote = try settings.connect(address)
        } catch {
            return [try StoppedZone("remote", settings.root, thrown: error)]
        }
        return try await stoppedZones(
            at: SearchedStore(remote: remote, id: config.store, isOpened: false), settings)
    }

    /// The same of a store that the replica does not use yet.
    ///
    /// - Parameters:
    ///   - remote: The store's remote, without encryption.
    ///   - id: The store's id.
    func stoppedZones(
        at remote: any Remote, of id: [UInt8], _ settings: ReplicaOptions
    ) async throws -> [StoppedZone] {
        try await stoppedZones(
            at: SearchedStore(remote: remote, id: id, isOpened: true), settings)
    }

    private func stoppedZones(
        at store: SearchedStore, _ settings: ReplicaOptions
    ) async throws -> [StoppedZone] {
        let values = try await stoppedZones(of: ValueKind.self, "values", store, settings)
        let zones = try await stoppedZones(of: CatalogueKind.self, "records", store, settings)
        let records = try await stoppedZones(of: RecordKind.self, "records", store, settings)
        return values + zones + records
    }

    private func stoppedZones<Kind: ItemKind>(
        of kind: Kind.Type, _ items: String, _ store: SearchedStore, _ settings: ReplicaOptions
    ) async throws -> [StoppedZone] {
        let state = settings.stateFolder.path
        var stopped: [StoppedZone] = []
        var known: [(scope: DatabaseScope, name: String)] = []
        do throws(Failure) {
            for scope in try LocalZones<Kind>.scopes(state: state) {
                for name in try LocalZones<Kind>.names(state: state, scope) {
                    known.append((scope, name))
                }
            }
        } catch {
            stopped.append(StoppedZone(items: items, failure: error))
        }
        for (scope, name) in known {
            do {
                var place: ItemPlace<Kind> = try itemPlace(name, in: scope, settings)
                store.use(for: &place)
                try await place.requireSeenCommit(in: store.id)
            } catch let failure as Failure where failure.code == .notAllowed {
                // A token for some zones only: nothing can be said of this one.
            } catch {
                var zone = try StoppedZone(items, name, thrown: error)
                zone.title = Kind.title(ofZone: name, in: scope)
                stopped.append(zone)
            }
        }
        return stopped
    }
}

/// A store in which zones are looked for.
private struct SearchedStore {
    /// Is used for all zones.
    let remote: any Remote
    /// Empty if it is not known.
    let id: [UInt8]
    /// Whether the remote decrypts what is there; else that is done with the key of the replica.
    let isOpened: Bool

    /// Lets a zone be looked for there.
    func use<Kind: ItemKind>(for place: inout ItemPlace<Kind>) {
        let remote = remote
        place.connect = { _ in remote }
        guard isOpened else { return }
        place.address = remote.address
        place.keyFingerprint = nil
    }
}

extension ItemKind {
    /// How a message names a zone: `zone of records work`. There is one catalogue of zones in each database.
    fileprivate static func title(ofZone name: String, in scope: DatabaseScope) -> String {
        let database = scope == .private ? "" : "\(scope)/"
        return names.option == nil ? names.zone : "\(names.zone) \(database)\(name)"
    }
}
