internal import FilesinkiKeyValue
internal import FilesinkiModel
public import Foundation

extension KeyValueStore {
    /// What was changed last in a store, and by whom.
    public struct Status: Sendable, Hashable {
        /// Who made the change.
        public enum Source: Sendable, Hashable {
            /// Nobody yet: the store was made then.
            case initial
            /// A program on this device.
            case localChange
            /// Another device, or what came of meeting one.
            case externalChange(KeyValueStoreChange.Reason)
        }

        /// When the change came to this device.
        public let date: Date
        /// Who made it.
        public let source: Source
        /// The keys; those that are not UTF-8 are left out.
        public let keys: [String]
    }

    /// The last change. Who has read it hears of the next one by Observation.
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

    /// Posted on a background thread when others have changed values, and they are here; `object` is the
    /// store. Not posted for what programs on this device set.
    public static let didChangeExternallyNotification = Notification.Name(
        "FileSinkiKeyValueStoreDidChangeExternally")

    /// The key of a ``KeyValueStoreChange/Reason`` in the user info of
    /// ``didChangeExternallyNotification``.
    public static let changeReasonKey = "FileSinkiKeyValueStoreChangeReason"

    /// The key of the changed keys, an array of `String`, in the user info of
    /// ``didChangeExternallyNotification``.
    public static let changedKeysKey = "FileSinkiKeyValueStoreChangedKeys"

    /// Takes what the listener tells.
    func tell(_ event: ValueEvent) {
        guard !own.takes(event), let change = KeyValueStoreChange(event) else { return }
        watched.change(change.keys)
        guard change.reason != .localChange else { return }
        NotificationCenter.default.post(
            name: Self.didChangeExternallyNotification, object: self,
            userInfo: [Self.changeReasonKey: change.reason, Self.changedKeysKey: change.keys])
    }
}
