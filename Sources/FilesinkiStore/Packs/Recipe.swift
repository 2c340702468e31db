package import FilesinkiModel

/// The chunks of a content that is larger than one chunk.
///
/// Encoded as a version byte, 1, and for each chunk in order its id (32 bytes) and length (4 bytes,
/// little-endian).
package struct Recipe: Hashable, Sendable {
    /// A chunk of the content.
    package struct Part: Hashable, Sendable {
        package var id: ContentID
        /// In bytes, 1 to 8 MiB.
        package var length: Int

        package init(id: ContentID, length: Int) {
            self.id = id
            self.length = length
        }
    }

    package var parts: [Part]

    private static let version: UInt8 = 1
    private static let partLength = 36

    package init(_ parts: [Part]) { self.parts = parts }

    /// The size of the whole content in bytes.
    package var size: Int64 { parts.reduce(0) { $0 + Int64($1.length) } }

    /// The recipe's bytes.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` with code `limit` for more than 64 MiB, the recipe of a
    ///   content of some 120 GB.
    package func encoded() throws(Failure) -> [UInt8] {
        let length = 1 + parts.count * Self.partLength
        guard length <= PackFormat.maximumRecipeLength else {
            throw Failure(
                .limit, "The file has too many chunks for one recipe.",
                remedy: "Leave the file out with an ignore rule, or split it.")
        }
        var bytes = [Self.version]
        bytes.reserveCapacity(length)
        for part in parts {
            part.id.withBytes { bytes.append(contentsOf: $0) }
            bytes.appendLittleEndian(UInt32(part.length))
        }
        return bytes
    }

    /// Reads a recipe.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when the bytes are invalid;
    ///   `newer-format` for another version.
    package init(decoding bytes: some Collection<UInt8>) throws(Failure) {
        let bytes = Array(bytes)
        guard let version = bytes.first, (bytes.count - 1).isMultiple(of: Self.partLength) else {
            throw Self.damage
        }
        guard version == Self.version else {
            throw Failure(
                .newerFormat, "A recipe has the unknown format \(version).",
                remedy: "Update filesinki, or run filesinki check if every device has this version."
            )
        }
        var parts: [Part] = []
        parts.reserveCapacity(bytes.count / Self.partLength)
        for start in stride(from: 1, to: bytes.count, by: Self.partLength) {
            let length = bytes.withUnsafeBytes {
                Int($0.littleEndian(at: start + ContentID.byteCount, as: UInt32.self))
            }
            guard let id = ContentID(bytes[start..<(start + ContentID.byteCount)]),
                (1...PackFormat.maximumBlockLength).contains(length)
            else { throw Self.damage }
            parts.append(Part(id: id, length: length))
        }
        self.parts = parts
    }

    private static var damage: Failure {
        Failure(
            .corrupt, "The recipe of a large file is damaged.",
            remedy: "Run filesinki repair on a device that still has the file."
        )
        .forOtherDevice
    }
}
