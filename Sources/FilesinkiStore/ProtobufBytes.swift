internal import SwiftProtobuf

/// The bytes of a field of a generated message, as an array.
///
/// The field's own type comes from Foundation, which this module does not import.
func array(_ field: some SwiftProtobufContiguousBytes) -> [UInt8] {
    field.withUnsafeBytes { Array($0) }
}

/// Bytes as the type that a field of a generated message wants.
func field<Field: SwiftProtobufContiguousBytes>(_ bytes: [UInt8]) -> Field {
    Field(bytes)
}
