public import Foundation
internal import Synchronization

/// A value that a property with ``CloudStorage`` can have.
public protocol CloudStorable: Sendable {
    /// The value to store; nil removes the key.
    var storedValue: StoredValue? { get }
    /// The property's value; nil for a stored value of another type.
    init?(storedValue: StoredValue)
}

/// A property that syncs between devices: `@CloudStorage("volume") var volume = 0.5`.
///
/// Reading it is tracked by Observation, also for changes of other devices while the store listens or
/// ``KeyValueStore/changes(since:)`` is read.
@propertyWrapper
public struct CloudStorage<Value: CloudStorable>: Sendable {
    private let key: String
    private let fallback: Value
    private let given: KeyValueStore?

    /// A property with a default.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default value.
    ///   - key: The key of the value; at most 64 bytes of UTF-8.
    ///   - store: The store; nil for ``KeyValueStore/standard``.
    public init(wrappedValue: Value, _ key: String, store: KeyValueStore? = nil) {
        self.key = key
        fallback = wrappedValue
        given = store
    }

    private var store: KeyValueStore? { given ?? KeyValueStore.standard }

    /// The value of the key, or the default.
    public var wrappedValue: Value {
        get { store?.value(forKey: key).flatMap(Value.init(storedValue:)) ?? fallback }
        nonmutating set { store?.put(newValue.storedValue, key) }
    }
}

extension CloudStorage where Value: ExpressibleByNilLiteral {
    /// An optional property: nil while the key has no value, and nil removes it.
    public init(_ key: String, store: KeyValueStore? = nil) {
        self.init(wrappedValue: nil, key, store: store)
    }
}

extension KeyValueStore {
    private static let shared = Mutex<KeyValueStore?>(nil)

    /// The store of properties without one of their own. It must be set before they are used: without a
    /// store their values are not kept.
    public static var standard: KeyValueStore? {
        get { shared.withLock { $0 } }
        set { shared.withLock { $0 = newValue } }
    }
}

extension Bool: CloudStorable {
    /// The value as the store keeps it.
    public var storedValue: StoredValue? { .bool(self) }
    /// Nil for a value of another type.
    public init?(storedValue: StoredValue) {
        guard case .bool(let value) = storedValue else { return nil }
        self = value
    }
}

extension Int: CloudStorable {
    /// The value as the store keeps it.
    public var storedValue: StoredValue? { .integer(Int64(self)) }
    /// Nil for a value of another type.
    public init?(storedValue: StoredValue) {
        guard case .integer(let value) = storedValue else { return nil }
        self.init(exactly: value)
    }
}

extension Double: CloudStorable {
    /// The value as the store keeps it.
    public var storedValue: StoredValue? { .double(self) }
    /// Nil for a value of another type.
    public init?(storedValue: StoredValue) {
        guard case .double(let value) = storedValue else { return nil }
        self = value
    }
}

extension String: CloudStorable {
    /// The value as the store keeps it.
    public var storedValue: StoredValue? { .string(self) }
    /// Nil for a value of another type.
    public init?(storedValue: StoredValue) {
        guard case .string(let value) = storedValue else { return nil }
        self = value
    }
}

extension URL: CloudStorable {
    /// The value as the store keeps it.
    public var storedValue: StoredValue? { .url(self) }
    /// Nil for a value of another type.
    public init?(storedValue: StoredValue) {
        guard case .url(let value) = storedValue else { return nil }
        self = value
    }
}

extension Date: CloudStorable {
    /// The value as the store keeps it.
    public var storedValue: StoredValue? { .date(self) }
    /// Nil for a value of another type.
    public init?(storedValue: StoredValue) {
        guard case .date(let value) = storedValue else { return nil }
        self = value
    }
}

extension Data: CloudStorable {
    /// The value as the store keeps it.
    public var storedValue: StoredValue? { .data(self) }
    /// Nil for a value of another type.
    public init?(storedValue: StoredValue) {
        guard case .data(let value) = storedValue else { return nil }
        self = value
    }
}

extension Optional: CloudStorable where Wrapped: CloudStorable {
    /// The value as the store keeps it.
    public var storedValue: StoredValue? { self?.storedValue }
    /// Nil for a value of another type.
    public init?(storedValue: StoredValue) {
        guard let value = Wrapped(storedValue: storedValue) else { return nil }
        self = value
    }
}

/// For enumerations with raw texts or numbers, which only need to declare the conformance.
extension CloudStorable where Self: RawRepresentable, RawValue: CloudStorable {
    /// The value as the store keeps it.
    public var storedValue: StoredValue? { rawValue.storedValue }
    /// Nil for a value of another type.
    public init?(storedValue: StoredValue) {
        guard let raw = RawValue(storedValue: storedValue) else { return nil }
        self.init(rawValue: raw)
    }
}
