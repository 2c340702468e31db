import ArgumentParser
import FilesinkiEngine
import FilesinkiKeyValue
import FilesinkiModel

/// What all commands of the key-value store have in common.
struct KeyValueOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("The key-value store's name.", valueName: "name"))
    var store = KeyValuePlace.standardName

    @Option(
        name: .long,
        help: ArgumentHelp("A prefix for all keys, e.g. flutter.", valueName: "prefix"))
    var prefix: String = ""

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    /// The key that an argument names.
    ///
    /// - Throws: `Failure` with code `usage` for an empty or a too long one.
    func key(_ argument: String) throws(Failure) -> ValueKey {
        let name = ArgumentText.bytes(of: argument)
        guard !name.isEmpty else { return try ValueKey([]) }
        return try ValueKey(prefixBytes + name)
    }

    var prefixBytes: [UInt8] { ArgumentText.bytes(of: prefix) }

    /// A key as the user names it: without the prefix.
    func name(_ key: ValueKey) -> [UInt8] {
        key.bytes.starts(with: prefixBytes)
            ? Array(key.bytes.dropFirst(prefixBytes.count)) : key.bytes
    }
}

extension KeyValueOptions {
    /// The replica's state folder; that of the default replica need not be there.
    func stateFolder(in console: Console) throws -> String {
        let root = try RootChoice.find(replica, in: console)
        guard root.origin == .standard || RootChoice.nearestReplica(at: root.path) != nil else {
            throw Failure.notInReplica(root.path)
        }
        return try replica.replicaOptions(root: root.path, in: console).stateFolder.path
    }

    /// Opens the store; the default replica is made when it is not there.
    func open(in console: Console) async throws -> KeyValueSession {
        try KeyValuePlace.check(name: store)
        let (_, settings) = try await replica.findOrMake(in: console)
        let config = try ReplicaConfig.read(settings)
        try console.prepare(forRemembered: config.remote)
        let place = KeyValuePlace(
            state: settings.stateFolder.path, name: store, device: config.device,
            address: config.remote, systemContext: console.systemContext, connect: settings.connect
        ) { try await Replica.renewDevice(settings, insteadOf: $0) }
        return KeyValueSession(values: try KeyValues.open(place), place: place, options: self)
    }
}

/// An opened key-value store together with how it was named.
struct KeyValueSession {
    let values: KeyValues
    let place: KeyValuePlace
    let options: KeyValueOptions
}
