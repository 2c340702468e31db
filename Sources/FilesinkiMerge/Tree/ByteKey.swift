import Glibc

/// Bytes as a key, which are hashed and compared as a whole, where arrays are byte by byte.
struct ByteKey: Hashable {
    let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    static func == (one: ByteKey, other: ByteKey) -> Bool {
        guard one.bytes.count == other.bytes.count else { return false }
        return one.bytes.withUnsafeBytes { left in
            other.bytes.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else {
                    return true
                }
                return left == right || memcmp(left, right, one.bytes.count) == 0
            }
        }
    }
}
