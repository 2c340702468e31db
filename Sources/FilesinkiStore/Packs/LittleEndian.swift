/// Fixed-width little-endian integers, as packs and values hold them.
extension [UInt8] {
    /// Adds the bytes of an integer.
    package mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}

extension UnsafeRawBufferPointer {
    /// The integer at an offset; the caller has made sure that it lies inside.
    package func littleEndian<Value: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Value.Type = Value.self
    ) -> Value {
        Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}
