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
