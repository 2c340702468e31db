/// A filter that compresses or decompresses bytes as they pass by, in bounded memory.
package protocol StreamCoder {
    /// Takes in bytes and gives out what can be given so far.
    ///
    /// - Parameters:
    ///   - input: The next bytes; may be empty.
    ///   - finish: Whether these are the last ones. No call may follow one with `true`.
    ///   - output: Receives the next bytes of the result, up to 128 KiB in each of any number of
    ///     calls; they are valid during the call only.
    /// - Throws: What `output` throws, and a `Failure`: `corrupt` for damaged, cut or
    ///   foreign bytes and for anything behind the end; `limit` when too much memory were needed.
    ///   After an error the coder is of no further use.
    mutating func process(
        _ input: UnsafeRawBufferPointer, finish: Bool,
        _ output: (UnsafeRawBufferPointer) throws -> Void
    ) throws
}

/// How much memory a stream's decoder may take: 128 MiB.
let streamMemoryLimit = 128 << 20

/// The size of the buffer behind each call of `output`, in bytes.
let streamBufferSize = 128 << 10

/// The formats of streams that are recognised by their first bytes.
package enum StreamFormat: Sendable {
    case xz
    case zstd

    /// How many bytes ``detect(_:)`` wants to see.
    package static let prefixLength = 6

    /// The format that a stream with these first bytes has; nil for any other.
    package static func detect(_ firstBytes: some Collection<UInt8>) -> StreamFormat? {
        // The .xz file format, section 2.1.1.1; RFC 8878, section 3.1.1.
        if firstBytes.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) { return .xz }
        if firstBytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return .zstd }
        return nil
    }
}
