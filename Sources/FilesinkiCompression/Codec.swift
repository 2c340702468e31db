/// How bytes are kept at a store. The raw value is what is written beside them; it is recorded with
/// the bytes and never guessed from them.
package enum Codec: UInt8, Sendable, CaseIterable {
    /// As they are.
    case plain = 0
    /// One Zstandard frame (RFC 8878): for what is read often.
    case zstd = 1
    /// One .xz stream with a check (the .xz file format, version 1.1.0): for what is seldom read.
    case xz = 2
}
