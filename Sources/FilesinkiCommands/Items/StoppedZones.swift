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
        let values = try await stoppedZones(of: ValueKind.self, "values", remote, config, settings)
        let zones = try await stoppedZones(
            of: CatalogueKind.self, "records", remote, config, settings)
        let records = try await stoppedZones(
            of: RecordKind.self, "records", remote, config, settings)
        return values + zones + records
    }

    /// - Parameter remote: Is used for all zones.
    private func stoppedZones<Kind: ItemKind>(
        of kind: Kind.Type, _ items: String, _ remote: any Remote, _ config: ReplicaConfig,
        _ settings: ReplicaOptions
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
                place.connect = { _ in remote }
                try await place.requireSeenCommit(in: config.store)
            } catch let failure as Failure where failure.code == .notAllowed {
                // A token for some zones only: nothing can be said of this one.
            } catch {
                stopped.append(try StoppedZone(items, name, thrown: error))
            }
        }
        return stopped
    }
}
