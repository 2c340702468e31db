/// How a value lies in the store: a byte for the version of this layout, a byte for the merge policy,
/// the 16 bytes of the device that set it, and the value. When it was set is the time of the row.
enum ValueRecord {
    static let version: UInt8 = 1
    private static let headLength = 18

    /// - Parameter held: Has a value.
    static func encode(_ held: Register) -> [UInt8] {
        [version, held.policy.rawValue] + held.device.prefix(16)
            + Array(repeating: 0, count: max(0, 16 - held.device.count))
            + (held.value.map(ValueCoder.encode) ?? [])
    }

    /// What a record says; nil when it is none.
    static func decode(_ bytes: [UInt8], time: Int64) -> Register? {
        guard bytes.count > headLength, bytes[0] == version,
            let policy = MergePolicy(rawValue: bytes[1]),
            let value = ValueCoder.decode(bytes[headLength...]), value != .null
        else { return nil }
        return Register(value, time: time, device: Array(bytes[2..<headLength]), policy: policy)
    }

    /// Whether bytes are a record of a layout that came later.
    static func isNewer(_ bytes: [UInt8]) -> Bool { bytes.first.map { $0 > version } ?? false }
}
