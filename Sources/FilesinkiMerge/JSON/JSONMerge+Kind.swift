extension JSONMerge {
    /// Whether the bytes are a JSON document that can be merged.
    package static func isDocument(_ bytes: [UInt8]) -> Bool { (try? JSONDocument(bytes)) != nil }
}
