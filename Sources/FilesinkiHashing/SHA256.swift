internal import CCrypto

/// SHA-256 of bytes, at once or piece by piece: https://doi.org/10.6028/NIST.FIPS.180-4
///
/// A plain value of 112 bytes: a copy continues on its own, and hashing allocates nothing.
package struct SHA256: Sendable {
    /// The number of bytes in a hash.
    package static let byteCount = 32
    /// The number of bytes that are hashed in one step.
    static let blockByteCount = 64

    private var context = SHA256_CTX()

    package init() { _ = SHA256_Init(&context) }

    /// Adds bytes to what is hashed.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        _ = SHA256_Update(&context, bytes.baseAddress, bytes.count)
    }

    /// Adds bytes to what is hashed.
    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Calls `body` with the hash of all bytes added so far, without an allocation; more may follow.
    package func withDigest<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var last = context
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.byteCount) { digest in
            _ = SHA256_Final(digest.baseAddress, &last)
            return body(UnsafeRawBufferPointer(digest))
        }
    }

    /// The hash of all bytes added so far, 32 bytes; more may follow.
    package func finish() -> [UInt8] { withDigest { Array($0) } }

    /// The hash of `bytes`.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var hasher = SHA256()
        hasher.update(bytes)
        return hasher.finish()
    }
}
