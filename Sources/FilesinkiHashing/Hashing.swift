import CCrypto
package import FilesinkiModel

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

/// Computes the ``FilesinkiModel/ContentID`` of bytes, at once or as they pass by.
package struct ContentHasher {
    private var state = SHA256()

    package init() {}

    /// Adds bytes to what is hashed.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        state.update(bytes)
    }

    /// Adds bytes to what is hashed.
    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// The identity of all bytes added so far; more may follow.
    package func finish() -> ContentID {
        state.withDigest { ContentID($0) ?? .none }
    }

    /// The identity of `bytes`.
    package static func hash(_ bytes: UnsafeRawBufferPointer) -> ContentID {
        var hasher = ContentHasher()
        hasher.update(bytes)
        return hasher.finish()
    }

    /// The identity of `bytes`.
    package static func hash(_ bytes: [UInt8]) -> ContentID {
        bytes.withUnsafeBytes { hash($0) }
    }
}

/// MD5: https://www.rfc-editor.org/rfc/rfc1321
///
/// Proves nothing about who made the bytes. Only for protocols that name it: Digest authentication, and
/// the entity tags of S3.
package enum MD5 {
    /// The hash of `bytes`, 16 bytes.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var context = MD5_CTX()
        _ = MD5_Init(&context)
        _ = MD5_Update(&context, bytes, bytes.count)
        return [UInt8](unsafeUninitializedCapacity: 16) { digest, count in
            _ = MD5_Final(digest.baseAddress, &context)
            count = 16
        }
    }
}

/// HMAC with SHA-256: https://www.rfc-editor.org/rfc/rfc2104
package enum HMACSHA256 {
    /// The code of `message`, 32 bytes, which only those who have `key` can compute.
    ///
    /// - Parameter key: Of any length; a longer one than 64 bytes is hashed first.
    package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        let short = key.count > SHA256.blockByteCount ? SHA256.hash(key) : key
        let block = short + [UInt8](repeating: 0, count: SHA256.blockByteCount - short.count)
        let inner = SHA256.hash(block.map { $0 ^ 0x36 } + message)
        return SHA256.hash(block.map { $0 ^ 0x5C } + inner)
    }
}
