package import FilesinkiModel

/// The kinds of documents that are archives in the ZIP format.
package enum ArchiveKind: Hashable, Sendable, CaseIterable {
    /// OpenDocument: ISO/IEC 26300.
    case odf
    /// Office Open XML: ISO/IEC 29500.
    case ooxml
    /// EPUB 3: ISO/IEC 23736.
    case epub

    package var format: ContentFormat {
        switch self {
        case .odf: .odf
        case .ooxml: .ooxml
        case .epub: .epub
        }
    }

    /// Whether the first bytes are those of an archive.
    package static func isArchive(_ head: some Collection<UInt8>) -> Bool {
        head.starts(with: [0x50, 0x4B, 0x03, 0x04])
    }

    /// The kind that an archive says that it is; a damaged one can say so, too.
    ///
    /// The first entry of an ODF document and of an EPUB book is its media type, without compression. An Office Open
    /// XML document has a part with the types of its parts, and one for its main part that names the application.
    ///
    /// - Returns: nil for other archives, and for what is none.
    package init?(of bytes: [UInt8]) {
        guard Self.isArchive(bytes.prefix(4)) else { return nil }
        if let type = Self.mediaType(bytes) {
            if type.starts(with: Self.odfType.utf8) {
                self = .odf
            } else if type.starts(with: Self.epubType.utf8) {
                self = .epub
            } else {
                return nil
            }
            return
        }
        guard let archive = try? ZipArchive(bytes), OOXMLPackage.isDocument(ArchivePackage(archive))
        else { return nil }
        self = .ooxml
    }

    static let odfType = "application/vnd.oasis.opendocument."
    static let epubType = "application/epub+zip"

    /// What the first entry says, if it is named `mimetype`.
    private static func mediaType(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        let name = Array("mimetype".utf8)
        let start = ZipFormat.localLength
        guard bytes.count > start + name.count, bytes.zip16(26) == UInt16(name.count),
            bytes[start..<(start + name.count)] == name[...]
        else { return nil }
        let text = start + name.count + Int(bytes.zip16(28))
        return bytes[min(text, bytes.count)...].prefix(200)
    }

    /// What is known of the parts of such archives.
    var package: any DocumentPackage {
        switch self {
        case .odf: ODFPackage()
        case .ooxml: OOXMLPackage()
        case .epub: EPUBPackage()
        }
    }
}
