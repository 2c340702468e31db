internal import FilesinkiDirectory
internal import FilesinkiEngine
internal import FilesinkiKeyValue
internal import FilesinkiModel
internal import FilesinkiNetwork
internal import FilesinkiRemote
internal import FilesinkiSystem
internal import Foundation
internal import Synchronization

/// Keys and values that are kept in step on all devices, with the method names of Apple's
/// `NSUbiquitousKeyValueStore`.
///
/// What is set is on the disk when the call returns, and is sent as soon as the remote answers. Reading
/// never waits for a network. A store listens to the remote for as long as somebody keeps it: what others
/// set comes by itself, and who has read it hears of it by Observation, by ``status``, by
/// ``didChangeExternallyNotification`` and by ``changes(since:)``.
public final class KeyValueStore: Sendable {
    let values: SynchronousValues
    let place: KeyValuePlace
    let exchange: Exchanger
    private let defaults = Mutex<[String: StoredValue]>([:])
    private let failed = Mutex<KeyValueError?>(nil)
    let watched = WatchedKeys()
    let own = OwnChanges()
    /// When this process has opened it.
    let opened = Date()
    private let listener = Mutex<RemoteChangeListener?>(nil)

    init(_ place: KeyValuePlace, listens: Bool) throws {
        self.place = place
        values = try SynchronousValues(place)
        // A listener tells of what this process fetches, too.
        exchange = Exchanger(try KeyValues.open(place), telling: listens ? nil : watched)
        guard listens else { return }
        let token = try values.position()
        listener.withLock { listener in
            listener = RemoteChangeListener(place, since: token) { [weak self] error in
                self?.failed.withLock { $0 = KeyValueError(error) }
            } tell: { [weak self] event in
                self?.tell(event)
            }
        }
    }

    /// Opens a store; the folder becomes a replica when it is none yet.
    ///
    /// - Parameters:
    ///   - folder: The replica's folder.
    ///   - remote: Where devices meet: `dir:/path`, `http(s)://` of a `filesinki serve`, `webdav(s)://`
    ///     or `s3://`. Nil for the remote that the replica has, if any.
    ///   - name: The key-value store's name; those of other names do not see it.
    /// - Throws: ``KeyValueError``.
    public static func open(
        folder: String, remote: String? = nil, name: String = "default"
    ) async throws -> KeyValueStore {
        try await open(folder: folder, remote: remote, name: name, listens: true)
    }

    /// As ``open(folder:remote:name:)``, for a program that wants to ask for each exchange itself.
    ///
    /// - Parameter listens: Whether what others set comes by itself. Without that it comes with
    ///   ``exchangeNow()``, ``synchronize()``, each `set`, and while ``changes(since:)`` is listened to.
    public static func open(
        folder: String, remote: String? = nil, name: String = "default", listens: Bool
    ) async throws -> KeyValueStore {
        do {
            let address = try remote.map { try RemoteAddress(absolute: $0) }
            let access = StateFolder(root: folder, state: nil).access
            let connect = RemoteAddress.connector(.ofMachine, RemoteAccess(pinned: access))
            let options = ReplicaOptions(root: folder, systemContext: .ofMachine, connect: connect)
            // Later, an absent folder is most likely a disk that is not mounted.
            if let address, (try? ReplicaConfig.read(options))?.store.isEmpty ?? true {
                address.makeFolder()
            }
            _ = try await Replica.initialize(
                options, address: address?.text, deviceName: nameOfHost())
            let config = try ReplicaConfig.read(options)
            return try KeyValueStore(
                KeyValuePlace(
                    state: options.stateFolder.path, name: name,
                    device: config.device, address: config.remote, systemContext: .ofMachine,
                    connect: connect,
                    renewDevice: { try await Replica.renewDevice(options, insteadOf: $0) }),
                listens: listens)
        } catch {
            throw KeyValueError(error)
        }
    }

    /// What went wrong last with a call that cannot throw, as a `set` beyond a limit.
    public var lastError: KeyValueError? { failed.withLock { $0 } }

    /// Values that are read where a key has none, on this device only.
    public func register(defaults values: [String: Any]) {
        let stored = values.compactMapValues { StoredValue(any: $0) }
        defaults.withLock { $0.merge(stored) { _, new in new } }
    }

    /// The value of a key, or the registered default; nil when there is none.
    public func value(forKey key: String) -> StoredValue? {
        watched.access(key)
        do {
            if let value = try values.get(ValueKey(key)) { return StoredValue(value) }
        } catch {
            failed.withLock { $0 = KeyValueError(error) }
        }
        return defaults.withLock { $0[key] }
    }

    /// All keys that have a value, without the defaults.
    public var dictionaryRepresentation: [String: Any] {
        let all = (try? values.list()) ?? []
        let pairs = all.compactMap { key, value in
            String(validating: key.bytes, as: UTF8.self).map { ($0, StoredValue(value).any) }
        }
        return Dictionary(pairs) { _, last in last }
    }

    /// Sets several keys at once, all or none; nil removes.
    ///
    /// - Throws: ``KeyValueError``; then nothing was changed.
    public func set(_ changes: [String: StoredValue?]) throws {
        do {
            let wanted = try changes.map { try ValueChange(ValueKey($0.key), $0.value?.typed) }
            guard try own.make({ try values.apply(wanted) }) else { return }
        } catch {
            throw KeyValueError(error)
        }
        watched.change(Array(changes.keys))
        exchange.start()
    }

    /// As ``set(_:)`` for one key, for callers that cannot catch: what goes wrong is in
    /// ``lastError``, and a limit that would be broken is told by ``changes(since:)``, too.
    func put(_ value: StoredValue?, _ key: String) {
        do {
            try set([key: value])
        } catch {
            failed.withLock { $0 = error as? KeyValueError }
        }
    }

    /// Asks for an exchange with the remote, which happens meanwhile.
    ///
    /// - Returns: Whether what is here can be read. What was set is on the disk already.
    @discardableResult public func synchronize() -> Bool {
        exchange.start()
        return (try? values.list()) != nil
    }

    /// Sends what waits here and fetches what others have set.
    ///
    /// - Returns: The keys that hold something else here now.
    /// - Throws: ``KeyValueError``.
    @discardableResult public func exchangeNow() async throws -> [String] {
        do {
            return try await exchange.run()
        } catch {
            throw KeyValueError(error)
        }
    }

    /// What others change from now on, or from a token on, each change once.
    public func changes(
        since token: String? = nil
    ) -> AsyncThrowingStream<KeyValueStoreChange, any Error> {
        AsyncThrowingStream { teller in
            let task = Task {
                do {
                    // A connection of its own, so that what this process fetches is heard of, too.
                    let observer = try await ValueObserver(
                        try KeyValues.open(place), place: place,
                        since: token.map { text throws(Failure) in try FeedToken(parsing: text) })
                    while true {
                        for event in try await observer.next() where event.reason != .local {
                            guard let change = KeyValueStoreChange(event) else { continue }
                            watched.change(change.keys)
                            teller.yield(change)
                        }
                    }
                } catch is CancellationError {
                    teller.finish()
                } catch {
                    teller.finish(throwing: KeyValueError(error))
                }
            }
            teller.onTermination = { _ in task.cancel() }
        }
    }
}
