public import Foundation

// The method names of NSUbiquitousKeyValueStore. Absent and of another type is nil, 0 or false, as
// there; ``KeyValueStore/value(forKey:)`` tells them apart.
extension KeyValueStore {
    /// The value as a plain Swift one; nil when there is none.
    public func object(forKey key: String) -> Any? { value(forKey: key)?.any }

    /// The text of a key; nil when there is none.
    public func string(forKey key: String) -> String? { object(forKey: key) as? String }
    /// The array of a key; nil when there is none.
    public func array(forKey key: String) -> [Any]? { object(forKey: key) as? [Any] }
    /// The dictionary of a key; nil when there is none.
    public func dictionary(forKey key: String) -> [String: Any]? {
        object(forKey: key) as? [String: Any]
    }
    /// The data of a key; nil when there is none.
    public func data(forKey key: String) -> Data? { object(forKey: key) as? Data }
    /// The whole number of a key; 0 when there is none.
    public func longLong(forKey key: String) -> Int64 { object(forKey: key) as? Int64 ?? 0 }
    /// The truth value of a key; false when there is none.
    public func bool(forKey key: String) -> Bool { object(forKey: key) as? Bool ?? false }

    /// A whole number counts as one, too.
    public func double(forKey key: String) -> Double {
        switch value(forKey: key) {
        case .double(let value): value
        case .integer(let value): Double(value)
        default: 0
        }
    }

    /// Sets a value of any type that a key can hold; nil removes. Anything else is refused, and
    /// ``lastError`` says so.
    public func set(_ value: Any?, forKey key: String) {
        guard let value else { return put(nil, key) }
        // A value that no key can hold is refused as such.
        put(StoredValue(any: value) ?? .null, key)
    }

    /// Sets a key; nil removes it. What is refused is in ``lastError``.
    public func set(_ value: String?, forKey key: String) {
        put(value.map(StoredValue.string), key)
    }
    /// Sets a key; nil removes it. What is refused is in ``lastError``.
    public func set(_ value: Data?, forKey key: String) { put(value.map(StoredValue.data), key) }
    /// Sets a key; nil removes it. What is refused is in ``lastError``.
    public func set(_ value: [Any]?, forKey key: String) { set(value as Any?, forKey: key) }
    /// Sets a key; nil removes it. What is refused is in ``lastError``.
    public func set(_ value: [String: Any]?, forKey key: String) { set(value as Any?, forKey: key) }
    /// Sets a key; nil removes it. What is refused is in ``lastError``.
    public func set(_ value: Int64, forKey key: String) { put(.integer(value), key) }
    /// Sets a key; nil removes it. What is refused is in ``lastError``.
    public func set(_ value: Double, forKey key: String) { put(.double(value), key) }
    /// Sets a key; nil removes it. What is refused is in ``lastError``.
    public func set(_ value: Bool, forKey key: String) { put(.bool(value), key) }

    /// Removes a key, here and everywhere.
    public func removeObject(forKey key: String) { put(nil, key) }
}
