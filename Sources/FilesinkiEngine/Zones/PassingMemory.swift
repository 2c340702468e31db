import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore

/// The state of the client of another zone than that of files, for a command that reads its whole log and publishes
/// what changes no item. Nothing of it is kept: the zone's own file learns of the commit when it is fetched.
final class PassingMemory: ZoneMemory {
    let device: Device
    let store: KnownStore?
    let position: LogPosition? = nil
    private var numbers: [ZoneCounter: UInt64] = [:]

    init(device: Device, store: KnownStore) {
        self.device = device
        self.store = store
    }

    func remember(_ store: KnownStore) {}
    func number(_ counter: ZoneCounter) -> UInt64 { numbers[counter] ?? 0 }
    func set(_ numbers: [ZoneCounter: UInt64]) { self.numbers.merge(numbers) { $1 } }
    func recordOwn(_ commit: OwnCommit) {}
    func recordedOwn(_ commits: [OwnCommit]) -> [OwnCommit] { [] }
    func checkpoint(at token: ChangeToken) -> CheckpointSource? { nil }
}

extension ReplicaPart {
    /// A client that publishes in a zone of items.
    func zoneClient(_ name: String, _ connection: ZoneConnection) -> ZoneClient {
        let accepting = "Check that this is the right store, then run filesinki check."
        let zone = Zone(
            name: name, carriesContents: true, limits: options.commitLimits,
            remedyForOther: accepting,
            remedyForMissing: "To see what is missing, run filesinki check.")
        let memory = PassingMemory(
            device: config.device, store: KnownStore(connection.format))
        return ZoneClient(zone, memory: memory, systemContext: systemContext) { connection.remote }
    }
}
