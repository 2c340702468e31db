import Glibc
import Testing

@testable import FilesinkiMerge

@Suite("The examples in Docs/Merging.md")
struct MergingPageTests {
    /// A block ` ```text merge NAME `, with the four documents beside each other.
    struct Example: CustomTestStringConvertible {
        var name: String
        var documents: [String]

        var testDescription: String { name }
    }

    static let examples: [Example] = {
        var examples: [Example] = []
        var block: (name: String, lines: [[Character]])?
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```text merge ") {
                block = (String(line.dropFirst("```text merge ".count)), [])
            } else if line == "```", let (name, lines) = block {
                examples.append(Example(name: name, documents: documents(lines)))
                block = nil
            } else {
                block?.lines.append(Array(line))
            }
        }
        return examples
    }()

    private static let page: String = {
        let path = "\(#filePath)".split(separator: "/").dropLast(3).joined(separator: "/")
        guard let file = fopen("/\(path)/Docs/Merging.md", "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
        return String(decoding: bytes, as: UTF8.self)
    }()

    /// The columns, which begin below the words of the first line.
    private static func documents(_ lines: [[Character]]) -> [String] {
        let header = lines.first ?? []
        let starts = header.indices.filter { index in
            header[index] != " " && (index == 0 || header[index - 1] == " ")
        }
        return zip(starts, starts.dropFirst() + [.max]).map { start, end in
            let column = lines.dropFirst().map { line in
                String(line.prefix(end).dropFirst(start).reversed().drop { $0 == " " }.reversed())
            }
            let end = column.lastIndex { !$0.isEmpty } ?? -1
            return column.prefix(end + 1).map { $0 + "\n" }.joined()
        }
    }

    @Test("each merges as shown", arguments: examples)
    func merges(_ example: Example) throws {
        try #require(example.documents.count == 4)
        let format = try #require(DocumentFormat(fileName: example.name.utf8))
        if let kind = ArchiveKind.allCases.first(where: { $0.format == format.format }) {
            return try archives(kind, example)
        }
        let row = MergeCase(
            example.name, example.documents[0], example.documents[1], example.documents[2],
            example.documents[3])
        #expect(format.merge.merge(row.input).shown == row.merged)
        #expect(format.merge.merge(row.input.swapped).shown == row.merged)
    }

    /// Documents of which each line is a paragraph or a chapter.
    private func archives(_ kind: ArchiveKind, _ example: Example) throws {
        let documents = example.documents.map { text in
            let lines = text.split(separator: "\n").map(String.init)
            return switch kind {
            case .odf: ODFSample.text(lines)
            case .ooxml: OOXMLSample.text(lines)
            case .epub:
                EPUBMergeTests.book(lines.enumerated().map { ("c\($0.offset)", $0.element) })
            }
        }
        let outcome = try SampleArchive.merged(kind, documents[0], documents[1], documents[2])
        for part in documents[3].parts {
            #expect(
                try outcome.part(part.name) == documents[3][part.name],
                "\(part.name) \(outcome.reasons)")
        }
    }

    @Test("every format that a name selects has one")
    func complete() {
        let words = Self.examples.compactMap { DocumentFormat(fileName: $0.name.utf8)?.word }
        #expect(
            Set(words) == [
                "bookmarks", "csv", "epub", "ical", "ini", "ipynb", "jsonc", "markdown", "odf",
                "ooxml",
                "po", "toml", "vcard", "xml", "yaml",
            ])
    }
}
