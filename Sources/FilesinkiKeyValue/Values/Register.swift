/// What is at a key as one place knows it: the value, or that it was removed, and who set it when.
package struct Register: Hashable, Sendable {
    /// Nil when the key was removed, or never set.
    package var value: TypedValue?
    /// The hybrid logical time of the change: see ``HybridClock``.
    package var time: Int64
    /// The id of the device that set the value; empty for a removal.
    package var device: [UInt8]
    package var policy: MergePolicy

    package init(
        _ value: TypedValue?, time: Int64, device: [UInt8], policy: MergePolicy = .newest
    ) {
        self.value = value
        self.time = time
        self.device = value == nil ? [] : device
        self.policy = value == nil ? .newest : policy
    }

    /// A key that nobody has set.
    package static let absent = Register(nil, time: 0, device: [])

    /// Whether both hold the same, whoever set it when.
    package func says(_ other: Register) -> Bool { value == other.value && policy == other.policy }

    /// Whether this was set after the other. Of two at the same moment a value is newer than a
    /// removal, and the greater id than the smaller; where even that is the same, value and policy decide.
    func isNewer(than other: Register) -> Bool {
        if time != other.time { return time > other.time }
        guard let value, let theirs = other.value else { return value != nil }
        if device != other.device { return other.device.lexicographicallyPrecedes(device) }
        if value == theirs { return policy.rawValue > other.policy.rawValue }
        return ValueCoder.encode(theirs).lexicographicallyPrecedes(ValueCoder.encode(value))
    }
}
