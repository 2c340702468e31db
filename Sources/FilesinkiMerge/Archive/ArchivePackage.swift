/// An archive as its parts by name. What was decompressed or read is kept.
final class ArchivePackage {
    let archive: ZipArchive
    private let entries: [[UInt8]: ZipEntry]
    private var contents: [[UInt8]: [UInt8]] = [:]
    private var documents: [[UInt8]: XMLPart] = [:]

    init(_ archive: ZipArchive) {
        self.archive = archive
        entries = Dictionary(
            archive.entries.map { ($0.name, $0) }, uniquingKeysWith: { one, _ in one })
    }

    /// The names in the order of the archive.
    var names: [[UInt8]] { archive.entries.map(\.name) }

    func entry(_ name: [UInt8]) -> ZipEntry? { entries[name] }

    func has(_ name: String) -> Bool { entries[Array(name.utf8)] != nil }

    /// The content of a part; nil if there is no such part.
    func content(_ name: [UInt8]) throws(ZipError) -> [UInt8]? {
        if let known = contents[name] { return known }
        guard let entry = entries[name] else { return nil }
        let content = try archive.content(entry)
        contents[name] = content
        return content
    }

    func content(_ name: String) throws(ZipError) -> [UInt8]? { try content(Array(name.utf8)) }

    /// A part in XML; nil if there is no such part, or if it cannot be read.
    func document(_ name: [UInt8]) throws(ZipError) -> XMLPart? {
        if let known = documents[name] { return known }
        guard let content = try content(name), let part = XMLPart(content) else { return nil }
        documents[name] = part
        return part
    }

    func document(_ name: String) throws(ZipError) -> XMLPart? { try document(Array(name.utf8)) }

    /// Whether a part has the same content in both, or is in neither.
    func hasSame(_ name: [UInt8], _ other: ArchivePackage) throws(ZipError) -> Bool {
        guard let entry = entries[name], let otherEntry = other.entries[name] else {
            return entries[name] == nil && other.entries[name] == nil
        }
        return try archive.hasSameContent(entry, other.archive, otherEntry)
    }
}

/// The three versions of a document that is an archive.
struct PackageVersions {
    let base: ArchivePackage
    let ours: ArchivePackage
    let theirs: ArchivePackage
    /// The side whose order and bytes are used where both mean the same: the same on both devices.
    let frame: MergeVersion
    /// The side that was saved last, as the document itself says; the frame if it does not.
    var latest: MergeVersion

    init(_ base: ZipArchive, _ ours: ZipArchive, _ theirs: ZipArchive) {
        self.base = ArchivePackage(base)
        self.ours = ArchivePackage(ours)
        self.theirs = ArchivePackage(theirs)
        frame = ours.bytes.lexicographicallyPrecedes(theirs.bytes) ? .ours : .theirs
        latest = frame
    }

    subscript(version: MergeVersion) -> ArchivePackage {
        switch version {
        case .base: base
        case .ours: ours
        case .theirs: theirs
        }
    }

    var all: [ArchivePackage] { [base, ours, theirs] }

    /// Whether a side did not change a part.
    func isUnchanged(_ name: [UInt8], _ side: MergeVersion) throws(ZipError) -> Bool {
        try base.hasSame(name, self[side])
    }
}
