import FilesinkiEncryption
import FilesinkiModel
package import FilesinkiRemote
import FilesinkiStore
import FilesinkiText

/// The replica's store at another address than the replica's, as where it was moved from.
package struct StoreElsewhere: Sendable {
    /// Whether it lacks commits that the replica has seen.
    var lacksSeenCommits = false
    /// Whether it has a note that it was moved away from there.
    var wasLeft = true

    /// The commands by which a replica goes on there, in their order, where the place that it uses is lost.
    package func steps(at address: String) -> String {
        let command = "filesinki remote set \(ShellWord.shown(address.utf8))"
        return switch (lacksSeenCommits, wasLeft) {
        case (true, true):
            "\(command) --accept, then \(command) --migrate, which goes on there, and then filesinki sync"
        case (true, false): "\(command) --accept, and then filesinki sync"
        case (false, true): "\(command), and then \(command) --migrate, which goes on there"
        case (false, false): command
        }
    }
}

extension Replica {
    /// What is known of the replica's store at another address. Costs a few requests.
    ///
    /// - Parameter zones: Which zones of values and records lack commits there.
    /// - Returns: Nil if it is not there, or cannot be found.
    package func storeElsewhere(
        at address: String, lacking zones: LackingZones,
        connect: @Sendable (String) throws -> any Remote
    ) async -> StoreElsewhere? {
        guard let remote = try? connect(address),
            let format = try? await StoreFormat.read(from: remote)
        else { return nil }
        let config = context.memory.config
        guard format.id == config.store, format.epoch == config.epoch else { return nil }
        // What cannot be read there, the first step says.
        return (try? await SyncEngine(context).elsewhere(remote, format, address, zones))
            ?? StoreElsewhere()
    }
}

extension SyncEngine {
    /// - Parameter plain: The remote, without encryption.
    fileprivate func elsewhere(
        _ plain: any Remote, _ format: StoreFormat, _ address: String, _ zones: LackingZones
    ) async throws -> StoreElsewhere {
        let remote = try StoreKey.seal(
            plain, fingerprint: format.keyFingerprint, keyIn: state.storeKey, systemContext)
        guard let present = try await zone.presentStore(at: remote) else {
            throw Failure.noStore(at: address)
        }
        var found = StoreElsewhere()
        found.lacksSeenCommits = try await !zone.holdsSeenCommits(present)
        if !found.lacksSeenCommits {
            found.lacksSeenCommits = try await !zones(remote, format.id).isEmpty
        }
        found.wasLeft = try await move(noted: remote, of: format, at: address) != nil
        return found
    }
}
