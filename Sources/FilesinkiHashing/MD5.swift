internal import CCrypto

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
