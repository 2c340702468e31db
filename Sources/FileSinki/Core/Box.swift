import Synchronization

/// A value that several tasks may set and get.
final class Box<Value: Sendable>: Sendable {
    private let storage: Mutex<Value>

    init(_ value: Value) { storage = Mutex(value) }

    var value: Value {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }

    /// The value, which is gone then.
    func take<Wrapped>() -> Value where Value == Wrapped? {
        storage.withLock { value in
            defer { value = nil }
            return value
        }
    }
}

/// A closure or an object of the program's that goes through our threads without being used there.
struct Passed<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
