import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiRules
import Synchronization

/// What limits the connections of this process: an option, else a setting of the device. Connections with the same limit
/// share it.
final class Bandwidths: Sendable {
    private struct State {
        var given: BandwidthLimit?
        var isUnusedSaid = false
        var made: [BandwidthLimit: Bandwidth] = [:]
    }

    private let systemContext: SystemContext
    private let state = Mutex(State())

    init(_ systemContext: SystemContext) { self.systemContext = systemContext }

    /// The limit of the command line; nil if there is none.
    var given: BandwidthLimit? {
        get { state.withLock { $0.given } }
        set { state.withLock { $0.given = newValue } }
    }

    /// What to say of an option that limits nothing, because the store is in a folder; nil without the option, and after the
    /// first time.
    func takeUnused() -> String? {
        state.withLock { state in
            guard let given = state.given, given != BandwidthLimit(), !state.isUnusedSaid else {
                return nil
            }
            state.isUnusedSaid = true
            return
                "--bwlimit does not limit a store in a folder: the system reads and writes it. It limits connections "
                + "of filesinki, such as ssh and HTTP."
        }
    }

    /// What limits a connection of a replica; nil for no limit. A setting that is wrong limits nothing; the run reports it.
    ///
    /// - Throws: `Failure` when a settings file cannot be read.
    func bandwidth(of replica: ReplicaOptions?) throws -> Bandwidth? {
        let limit =
            try given
            ?? replica.map { options in
                RulesLoad(synced: nil, device: try options.deviceFiles()).rules.bandwidth
            }
        guard let limit, limit != BandwidthLimit() else { return nil }
        return state.withLock { state in
            if let made = state.made[limit] { return made }
            let bandwidth = Bandwidth(
                sending: limit.sending, receiving: limit.receiving, systemContext: systemContext)
            state.made[limit] = bandwidth
            return bandwidth
        }
    }
}
