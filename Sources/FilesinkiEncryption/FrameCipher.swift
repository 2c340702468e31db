import CCrypto
import FilesinkiModel
import Synchronization

/// AES-256 in Galois/Counter mode with one key: NIST SP 800-38D, https://doi.org/10.6028/NIST.SP.800-38D
///
/// Sets the key once and a nonce for each message. Not Sendable: each task makes its own.
final class FrameCipher {
    static let keyLength = 32
    static let nonceLength = 12
    static let tagLength = 16

    private let context: OpaquePointer

    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - isSealing: Whether the cipher seals or opens.
    /// - Throws: Code `io` when libcrypto fails, which only a lack of memory explains.
    init(key: [UInt8], isSealing: Bool) throws(Failure) {
        context = try LibCrypto.context(EVP_aes_256_gcm(), key: key, isSealing: isSealing)
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Encrypts a message and appends it and its tag.
    ///
    /// - Parameters:
    ///   - nonce: 12 bytes, which are used once with this key.
    ///   - additional: Authenticated and not stored.
    func seal(
        _ plain: ArraySlice<UInt8>, nonce: [UInt8], additional: [UInt8], to output: inout [UInt8]
    ) throws(Failure) {
        var isDone = EVP_CipherInit_ex(context, nil, nil, nil, nonce, 1) == 1
        isDone = isDone && add(additional)
        let start = output.count
        output += [UInt8](repeating: 0, count: plain.count + Self.tagLength)
        output.withUnsafeMutableBytes { bytes in
            let sealed = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
            isDone =
                isDone && plain.withUnsafeBytes { update($0, to: sealed) } && finish()
            let tag = sealed.baseAddress.map { $0 + plain.count }
            isDone =
                isDone
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagLength), tag)
                    == 1
        }
        guard isDone else { throw LibCrypto.failure }
    }

    /// Decrypts a message with its tag and appends it.
    ///
    /// - Returns: False, with nothing appended, if the message, its nonce or `additional` is not what was sealed.
    func open(
        _ sealed: ArraySlice<UInt8>, nonce: [UInt8], additional: [UInt8], to output: inout [UInt8]
    ) -> Bool {
        let length = sealed.count - Self.tagLength
        guard length >= 0, EVP_CipherInit_ex(context, nil, nil, nil, nonce, 0) == 1,
            add(additional)
        else { return false }
        var tag = Array(sealed.suffix(Self.tagLength))
        let start = output.count
        output += [UInt8](repeating: 0, count: length)
        let isSound = output.withUnsafeMutableBytes { bytes in
            let plain = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
            return sealed.dropLast(Self.tagLength).withUnsafeBytes { update($0, to: plain) }
                && EVP_CIPHER_CTX_ctrl(
                    context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength), &tag) == 1
                && finish()
        }
        if !isSound { output.removeLast(length) }
        return isSound
    }

    private func add(_ additional: [UInt8]) -> Bool {
        var count: Int32 = 0
        return EVP_CipherUpdate(context, nil, &count, additional, Int32(additional.count)) == 1
    }

    private func update(
        _ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard input.count > 0 else { return true }
        var count: Int32 = 0
        let done = EVP_CipherUpdate(
            context, output.bytes, &count, input.assumingMemoryBound(to: UInt8.self).baseAddress,
            Int32(input.count))
        return done == 1 && count == input.count
    }

    /// Compares the tag, or makes it.
    private func finish() -> Bool {
        var rest: Int32 = 0
        // Galois/Counter mode has nothing left to write, but wants a pointer.
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.tagLength) { spare in
            EVP_CipherFinal_ex(context, spare.baseAddress, &rest) == 1 && rest == 0
        }
    }
}

/// AES-256 in cipher block chaining mode without padding, for names that must be found again and reversed:
/// NIST SP 800-38A, https://doi.org/10.6028/NIST.SP.800-38A
enum NameCipher {
    /// Encrypts or decrypts two blocks.
    ///
    /// Equal names give equal results, which is the purpose: a name is a hash, so no two differ in one block only.
    ///
    /// - Parameter name: 32 bytes.
    static func apply(
        to name: [UInt8], key: [UInt8], isSealing: Bool
    ) throws(Failure) -> [UInt8] {
        let context = try LibCrypto.context(EVP_aes_256_cbc(), key: key, isSealing: isSealing)
        defer { EVP_CIPHER_CTX_free(context) }
        var result = [UInt8](repeating: 0, count: name.count)
        var count: Int32 = 0
        let zero = [UInt8](repeating: 0, count: 16)
        guard EVP_CipherInit_ex(context, nil, nil, nil, zero, isSealing ? 1 : 0) == 1,
            EVP_CIPHER_CTX_set_padding(context, 0) == 1,
            EVP_CipherUpdate(context, &result, &count, name, Int32(name.count)) == 1,
            count == name.count
        else { throw LibCrypto.failure }
        return result
    }
}

/// scrypt: https://www.rfc-editor.org/rfc/rfc7914
struct PasswordHash: Hashable {
    /// Processor and memory cost: a power of two.
    var cost: UInt64
    var blockSize: UInt64
    var parallelism: UInt64

    /// Whether the parameters are neither too cheap to protect a passphrase nor too expensive to compute:
    /// a hostile store may name any.
    var isAcceptable: Bool {
        cost >= 1 << 15 && cost <= 1 << 20 && cost.nonzeroBitCount == 1 && blockSize == 8
            && (1...4).contains(parallelism)
    }

    /// - Returns: 32 bytes.
    /// - Throws: Code `io` when the memory is not available.
    func derive(_ secret: [UInt8], salt: [UInt8]) throws(Failure) -> [UInt8] {
        LibCrypto.prepare()
        var key = [UInt8](repeating: 0, count: 32)
        let memory = 128 * blockSize * (cost + parallelism) + 1 << 20
        let done = secret.withUnsafeBytes { secret in
            EVP_PBE_scrypt(
                secret.assumingMemoryBound(to: CChar.self).baseAddress, secret.count, salt,
                salt.count, cost, blockSize, parallelism, memory, &key, key.count)
        }
        guard done == 1 else { throw LibCrypto.failure }
        return key
    }
}

/// What the ciphers need of libcrypto.
private enum LibCrypto {
    private static let isPrepared = Mutex(false)

    /// Starts libcrypto without this machine's configuration, and without an exit handler.
    static func prepare() {
        isPrepared.withLock { isPrepared in
            if isPrepared { return }
            let options = OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT
            isPrepared = OPENSSL_init_crypto(UInt64(options), nil) == 1
        }
    }

    static func context(
        _ cipher: OpaquePointer?, key: [UInt8], isSealing: Bool
    ) throws(Failure) -> OpaquePointer {
        prepare()
        guard let context = EVP_CIPHER_CTX_new() else { throw failure }
        guard key.count == FrameCipher.keyLength,
            EVP_CipherInit_ex(context, cipher, nil, key, nil, isSealing ? 1 : 0) == 1
        else {
            EVP_CIPHER_CTX_free(context)
            throw failure
        }
        return context
    }

    static var failure: Failure {
        Failure(
            .io, "The encryption library failed.",
            remedy: "Free some memory, and run again.")
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate var bytes: UnsafeMutablePointer<UInt8>? {
        assumingMemoryBound(to: UInt8.self).baseAddress
    }
}
