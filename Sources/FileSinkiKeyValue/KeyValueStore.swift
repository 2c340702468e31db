import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiLibrary
import FilesinkiModel
import FilesinkiSystem
public import Foundation
import Synchronization

/// Keys and values that sync between devices, with the method names of Apple's
/// `NSUbiquitousKeyValueStore`.
///
/// A value is on the disk when `set` returns, and is sent as soon as the remote answers. Reading never
/// waits for a network. A store listens to the remote until it is released: changes of other devices
/// arrive by themselves, and are reported by Observation, by ``status``, by
/// ``didChangeExternallyNotification`` and by ``changes(since:)``.
public final class KeyValueStore: Sendable {
    let values: SynchronousValues
    let place: KeyValuePlace
    let exchange: Exchanger
    private let defaults = Mutex<[String: StoredValue]>([:])
    private let failed = Mutex<KeyValueError?>(nil)
    let watched = WatchedKeys()
    let own = OwnChanges()
    /// When this process opened it.
    let opened = Date()
    private let listener = Mutex<RemoteChangeListener?>(nil)

    init(_ place: KeyValuePlace, listens: Bool) throws {
        self.place = place
        values = try SynchronousValues(place)
        // A listener also reports what this process fetches.
        exchange = Exchanger(try KeyValues.open(place), notifying: listens ? nil : watched)
        guard listens else { return }
        let token = try values.position()
        listener.withLock { listener in
            listener = RemoteChangeListener(place, since: token) { [weak self] error in
                self?.failed.withLock { $0 = KeyValueError(error) }
            } deliver: { [weak self] event in
                self?.deliver(event)
            }
        }
    }

    /// Opens a store; the folder becomes a replica if it is not one yet.
    ///
    /// - Parameters:
    ///   - folder: The replica's folder.
    ///   - remote: The remote that devices share: `dir:/path`, `ssh://`, `host:path`, `http(s)://` of a
    ///     `filesinki serve`, `webdav(s)://` or `s3://`. Nil for the remote that the replica has, if any.
    ///   - name: The key-value store's name; stores of other names are separate.
    /// - Throws: ``KeyValueError``.
    public static func open(
        folder: String, remote: String? = nil, name: String = "default"
    ) async throws -> KeyValueStore {
        try await open(folder: folder, remote: remote, name: name, listens: true)
    }

    /// As ``open(folder:remote:name:)``, for a program that starts each exchange itself.
    ///
    /// - Parameter listens: Whether changes of other devices arrive by themselves. Otherwise they arrive
    ///   with ``exchangeNow()``, ``synchronize()``, each `set`, and while ``changes(since:)`` is read.
    public static func open(
        folder: String, remote: String? = nil, name: String = "default", listens: Bool
    ) async throws -> KeyValueStore {
        do {
            let replica = try await ProgramReplica.open(folder: folder, remote: remote)
            return try KeyValueStore(
                replica.place(of: ValueKind.self, name), listens: listens)
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

    /// The value of a key, or the registered default; nil without either.
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
            guard try own.record({ try values.apply(wanted) }) else { return }
        } catch {
            throw KeyValueError(error)
        }
        watched.change(Array(changes.keys))
        exchange.start()
    }

    /// As ``set(_:)`` for one key, for callers that cannot catch: an error is in ``lastError``, and an
    /// exceeded limit is also reported by ``changes(since:)``.
    func put(_ value: StoredValue?, _ key: String) {
        do {
            try set([key: value])
        } catch {
            failed.withLock { $0 = error as? KeyValueError }
        }
    }

    /// Starts an exchange with the remote in the background.
    ///
    /// - Returns: Whether the values on this device can be read. What was set is on the disk already.
    @discardableResult public func synchronize() -> Bool {
        exchange.start()
        return (try? values.list()) != nil
    }

    /// Sends changes of this device and fetches those of others.
    ///
    /// - Returns: The keys whose value changed on this device.
    /// - Throws: ``KeyValueError``.
    @discardableResult public func exchangeNow() async throws -> [String] {
        do {
            return try await exchange.exchangeNow()
        } catch {
            throw KeyValueError(error)
        }
    }

    /// The changes of others from now on, or from a token on, each once.
    public func changes(
        since token: String? = nil
    ) -> AsyncThrowingStream<KeyValueStoreChange, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    // A connection of its own, so that it also sees what this process fetches.
                    let observer = try await ValueObserver(
                        try KeyValues.open(place), place: place,
                        since: token.map { text throws(Failure) in try FeedToken(parsing: text) })
                    while true {
                        for event in try await observer.next() where event.reason != .local {
                            guard let change = KeyValueStoreChange(event) else { continue }
                            watched.change(change.keys)
                            continuation.yield(change)
                        }
                    }
                } catch is CancellationError {
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: KeyValueError(error))
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// The last change of a store, and its source.
    public struct Status: Sendable, Hashable {
        /// Who made the change.
        public enum Source: Sendable, Hashable {
            /// No change yet; the store was opened.
            case initial
            /// A program on this device.
            case localChange
            /// Another device, or the merge with its changes.
            case externalChange(KeyValueStoreChange.Reason)
        }

        /// When the change arrived on this device.
        public let date: Date
        /// Who made it.
        public let source: Source
        /// The keys; those that are not UTF-8 are left out.
        public let keys: [String]
    }

    /// The last change; tracked by Observation.
    public var status: Status {
        watched.accessStatus()
        guard let event = try? values.lastEvent(), let change = KeyValueStoreChange(event) else {
            return Status(date: opened, source: .initial, keys: [])
        }
        let seconds = Double(event.time.nanoseconds) / 1e9
        return Status(
            date: Date(timeIntervalSince1970: seconds),
            source: change.reason == .localChange
                ? .localChange : .externalChange(change.reason), keys: change.keys)
    }

    /// Posted on a background thread after changes of others were applied; `object` is the store. Not
    /// posted for changes of programs on this device.
    public static let didChangeExternallyNotification = Notification.Name(
        "FileSinkiKeyValueStoreDidChangeExternally")

    /// The key of a ``KeyValueStoreChange/Reason`` in the user info of
    /// ``didChangeExternallyNotification``.
    public static let changeReasonKey = "FileSinkiKeyValueStoreChangeReason"

    /// The key of the changed keys, an array of `String`, in the user info of
    /// ``didChangeExternallyNotification``.
    public static let changedKeysKey = "FileSinkiKeyValueStoreChangedKeys"

    /// Handles an event of the listener.
    private func deliver(_ event: ValueEvent) {
        guard !own.consume(event), let change = KeyValueStoreChange(event) else { return }
        watched.change(change.keys)
        guard change.reason != .localChange else { return }
        NotificationCenter.default.post(
            name: Self.didChangeExternallyNotification, object: self,
            userInfo: [Self.changeReasonKey: change.reason, Self.changedKeysKey: change.keys])
    }

    // MARK: The method names of NSUbiquitousKeyValueStore

    // Without a value, or with one of another type, they return nil, 0 or false, as on Apple's systems;
    // ``value(forKey:)`` distinguishes the two.

    /// The value as a plain Swift value; nil for none.
    public func object(forKey key: String) -> Any? { value(forKey: key)?.any }

    /// The text of a key; nil for none.
    public func string(forKey key: String) -> String? { object(forKey: key) as? String }
    /// The array of a key; nil for none.
    public func array(forKey key: String) -> [Any]? { object(forKey: key) as? [Any] }
    /// The dictionary of a key; nil for none.
    public func dictionary(forKey key: String) -> [String: Any]? {
        object(forKey: key) as? [String: Any]
    }
    /// The data of a key; nil for none.
    public func data(forKey key: String) -> Data? { object(forKey: key) as? Data }
    /// The whole number of a key; 0 for none.
    public func longLong(forKey key: String) -> Int64 { object(forKey: key) as? Int64 ?? 0 }
    /// The truth value of a key; false for none.
    public func bool(forKey key: String) -> Bool { object(forKey: key) as? Bool ?? false }

    /// A whole number counts as one, too.
    public func double(forKey key: String) -> Double {
        switch value(forKey: key) {
        case .double(let value): value
        case .integer(let value): Double(value)
        default: 0
        }
    }

    /// Sets a value of any type that a key can hold; nil removes. Any other value is refused, with an
    /// error in ``lastError``.
    public func set(_ value: Any?, forKey key: String) {
        guard let value else { return put(nil, key) }
        // Null stands for a value that no key can hold, and is refused.
        put(StoredValue(any: value) ?? .null, key)
    }

    /// Sets a key; nil removes it. An error is in ``lastError``.
    public func set(_ value: String?, forKey key: String) {
        put(value.map(StoredValue.string), key)
    }
    /// Sets a key; nil removes it. An error is in ``lastError``.
    public func set(_ value: Data?, forKey key: String) { put(value.map(StoredValue.data), key) }
    /// Sets a key; nil removes it. An error is in ``lastError``.
    public func set(_ value: [Any]?, forKey key: String) { set(value as Any?, forKey: key) }
    /// Sets a key; nil removes it. An error is in ``lastError``.
    public func set(_ value: [String: Any]?, forKey key: String) { set(value as Any?, forKey: key) }
    /// Sets a key; nil removes it. An error is in ``lastError``.
    public func set(_ value: Int64, forKey key: String) { put(.integer(value), key) }
    /// Sets a key; nil removes it. An error is in ``lastError``.
    public func set(_ value: Double, forKey key: String) { put(.double(value), key) }
    /// Sets a key; nil removes it. An error is in ``lastError``.
    public func set(_ value: Bool, forKey key: String) { put(.bool(value), key) }

    /// Removes a key on all devices.
    public func removeObject(forKey key: String) { put(nil, key) }
}
