import CCrypto
package import FilesinkiModel

/// SHA-256 of bytes, at once or piece by piece: https://doi.org/10.6028/NIST.FIPS.180-4
///
/// A value of 112 bytes: copies are independent, and hashing does not allocate.
package struct SHA256: Sendable {
    /// The number of bytes in a hash.
    package static let byteCount = 32
    /// The number of bytes per block.
    static let blockByteCount = 64

    private var context = SHA256_CTX()

    package init() { _ = SHA256_Init(&context) }

    /// Adds bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        _ = SHA256_Update(&context, bytes.baseAddress, bytes.count)
    }

    /// Adds bytes.
    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Calls `body` with the hash of the bytes so far, without an allocation. More may be added.
    package func withDigest<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var last = context
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.byteCount) { digest in
            _ = SHA256_Final(digest.baseAddress, &last)
            return body(UnsafeRawBufferPointer(digest))
        }
    }

    /// The hash of the bytes so far, 32 bytes. More may be added.
    package func finish() -> [UInt8] { withDigest { Array($0) } }

    /// The hash of `bytes`.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var hasher = SHA256()
        hasher.update(bytes)
        return hasher.finish()
    }
}

/// Computes the ``FilesinkiModel/ContentID`` of bytes, at once or piece by piece.
package struct ContentHasher {
    private var state = SHA256()

    package init() {}

    /// Adds bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        state.update(bytes)
    }

    /// Adds bytes.
    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// The content ID of the bytes so far. More may be added.
    package func finish() -> ContentID {
        state.withDigest { ContentID($0) ?? .none }
    }

    /// The content ID of `bytes`.
    package static func hash(_ bytes: UnsafeRawBufferPointer) -> ContentID {
        var hasher = ContentHasher()
        hasher.update(bytes)
        return hasher.finish()
    }

    /// The content ID of `bytes`.
    package static func hash(_ bytes: [UInt8]) -> ContentID {
        bytes.withUnsafeBytes { hash($0) }
    }
}

/// MD5: https://www.rfc-editor.org/rfc/rfc1321
///
/// Not secure. Only for protocols that require it: Digest authentication, and the entity tags of
/// S3.
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
    /// The authentication code of `message`, 32 bytes.
    ///
    /// - Parameter key: A key of any length; one longer than 64 bytes is hashed first.
    package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        let short = key.count > SHA256.blockByteCount ? SHA256.hash(key) : key
        let block = short + [UInt8](repeating: 0, count: SHA256.blockByteCount - short.count)
        let inner = SHA256.hash(block.map { $0 ^ 0x36 } + message)
        return SHA256.hash(block.map { $0 ^ 0x5C } + inner)
    }
}
