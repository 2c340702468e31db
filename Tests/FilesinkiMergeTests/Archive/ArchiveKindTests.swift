import FilesinkiModel
import Testing

@testable import FilesinkiMerge

@Suite("Which archives are documents")
struct ArchiveKindTests {
    private static let package = OOXMLSample.package([("a.xml", "other", "<a/>")])

    static let kinds: [(name: String, archive: SampleArchive, kind: ArchiveKind?)] = [
        ("a text", ODFSample.text(["a"]), .odf),
        ("a spreadsheet", ODFSample.document("spreadsheet", ""), .odf),
        ("a text of Word", OOXMLSample.text(["a"]), .ooxml),
        ("a workbook", OOXMLSample.workbook([], ""), .ooxml),
        ("a presentation", OOXMLSample.presentation(["a"]), .ooxml),
        ("a book", SampleArchive([("mimetype", "application/epub+zip")]), .epub),
        (
            "another archive with a media type", SampleArchive([("mimetype", "image/openraster")]),
            nil
        ),
        ("a package of another program", package, nil),
        ("Java", SampleArchive([("META-INF/MANIFEST.MF", "x")]), nil),
        ("an archive of documents", SampleArchive([("a.docx", "x")]), nil),
        (
            "a media type that is not first",
            SampleArchive([("a", ""), ("mimetype", "application/epub+zip")]), nil
        ),
    ]

    @Test("by their content", arguments: kinds.map(\.name))
    func content(_ name: String) throws {
        for row in Self.kinds where row.name == name {
            #expect(ArchiveKind(of: try row.archive.bytes()) == row.kind)
        }
    }

    @Test("what is no archive", arguments: ["", "PK", "PK\u{3}\u{4}", "text"])
    func others(_ text: String) {
        #expect(ArchiveKind(of: Array(text.utf8)) == nil)
    }

    @Test("each kind has a format, which reads it")
    func formats() throws {
        let documents: [(ArchiveKind, SampleArchive)] = [
            (.odf, ODFSample.text(["a"])), (.ooxml, OOXMLSample.text(["a"])),
            (.epub, SampleArchive([("mimetype", "application/epub+zip")])),
        ]
        for (kind, archive) in documents {
            let bytes = try archive.bytes()
            for other in ArchiveKind.allCases {
                #expect(DocumentFormat.archive(other).reads(bytes) == (other == kind))
            }
            #expect(DocumentFormat(kind.format, fileName: "x".utf8)?.format == kind.format)
        }
        #expect(DocumentFormat(fileName: "a.DOCX".utf8)?.word == "ooxml")
        #expect(DocumentFormat(fileName: "a.zip".utf8) == nil)
    }
}
