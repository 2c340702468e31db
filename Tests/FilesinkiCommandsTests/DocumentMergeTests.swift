import FilesinkiCommands
import FilesinkiCompression
import Testing

@Suite("merge of documents that are archives")
struct DocumentMergeTests {
    /// An archive whose entries are not compressed.
    private static func archive(_ parts: [(name: String, text: String)]) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        var (local, central): ([UInt8], [UInt8]) = ([], [])
        for (name, text) in parts {
            let content = Array(text.utf8)
            let start = local.count
            var fields = number(20, 2) + number(0, 4) + number(0x21_0000, 4)
            fields += number(Int(Deflate.checksum(content[...])), 4)
            fields += number(content.count, 4) + number(content.count, 4)
            fields += number(name.utf8.count, 2) + number(0, 2)
            local += number(0x0403_4B50, 4) + fields + Array(name.utf8) + content
            central += number(0x0201_4B50, 4) + number(20, 2) + fields + number(0, 10)
            central += number(start, 4) + Array(name.utf8)
        }
        let end = number(0x0605_4B50, 4) + number(0, 4) + number(parts.count, 2)
        return local + central + end + number(parts.count, 2) + number(central.count, 4)
            + number(local.count, 4) + number(0, 2)
    }

    /// - Parameter texts: A paragraph each.
    private static func document(_ texts: String...) -> [UInt8] {
        let paragraphs = texts.map { "<text:p>\($0)</text:p>" }.joined()
        return archive([
            ("mimetype", "application/vnd.oasis.opendocument.text"),
            (
                "content.xml",
                "<office:document-content xmlns:office=\"o\" xmlns:text=\"t\"><office:automatic-styles/>"
                    + "<office:body><office:text>\(paragraphs)</office:text></office:body></office:document-content>"
            ),
            (
                "META-INF/manifest.xml",
                "<m:manifest xmlns:m=\"m\" xmlns:manifest=\"m\"><m:file-entry manifest:full-path=\"content.xml\"/></m:manifest>"
            ),
        ])
    }

    private func world(_ base: [UInt8], _ here: [UInt8], _ there: [UInt8]) throws -> World {
        let world = try World()
        for (name, bytes) in [("b", base), ("h", here), ("t", there)] {
            try world.write(bytes, to: name)
        }
        return world
    }

    @Test(
        "the content says that it is a document, whatever its name; a rule and a link name the format"
    )
    func content() async throws {
        let world = try world(
            Self.document("a", "b", "c"), Self.document("A", "b", "c"), Self.document("a", "b", "C")
        )
        for options in [[], ["--strategy", "odf"], ["--type", "odf"], ["--path", "x.odt"]] {
            let outcome = try await world.run(
                bytes: (["merge"] + options + ["b", "h", "t"]).map { Array($0.utf8) })
            #expect(outcome.code == .done, "\(options) \(outcome.talk)")
            #expect(outcome.text.contains("<text:p>A</text:p><text:p>b</text:p><text:p>C</text:p>"))
        }
        let explained = try await world.run(
            bytes: ["merge", "--explain", "-o", "out", "b", "h", "t"].map { Array($0.utf8) })
        #expect(explained.text.contains("Format: odf, by the content."), "\(explained.text)")
        #expect(explained.text.contains("content.xml, office:body/office:text, block 1"))
    }

    @Test("a paragraph that both edited is a conflict of its part, and another format is declined")
    func conflict() async throws {
        let world = try world(Self.document("a"), Self.document("A"), Self.document("Z"))
        let outcome = try await world.run("merge", "b", "h", "t")
        #expect(outcome.code == .negative)
        #expect(outcome.talk.contains("content.xml, office:body/office:text: Both sides changed"))
        let other = try await world.run("merge", "--strategy", "ooxml", "b", "h", "t")
        #expect(other.talk.contains("is not of the format ooxml"), "\(other.talk)")
    }

    @Test("other archives are not merged")
    func others() async throws {
        let archives = ["1", "2", "3"].map { Self.archive([("a.txt", $0), ("b.txt", "x")]) }
        let world = try world(archives[0], archives[1], archives[2])
        let outcome = try await world.run("merge", "b", "h", "t")
        #expect(outcome.code == .negative)
        #expect(outcome.talk.contains("neither databases, nor documents"), "\(outcome.talk)")
        // What is no document is not merged as text, whatever its name.
        let named = try await world.run("merge", "--path", "a.docx", "b", "h", "t")
        #expect(named.code == .negative)
    }

    @Test(
        "of contents without a format, what one side changed is the result",
        arguments: [("112", "2"), ("121", "2"), ("122", "2"), ("022", "2"), ("123", "")])
    func unknownContents(_ versions: String, _ merged: String) async throws {
        // An empty base is none.
        let contents = versions.map { $0 == "0" ? [] : [0, UInt8($0.asciiValue ?? 0)] }
        let world = try world(contents[0], contents[1], contents[2])
        let outcome = try await world.run("merge", "b", "h", "t")
        #expect(outcome.output == merged.utf8.flatMap { [0, $0] }, "\(outcome.talk)")
        #expect(outcome.code == (merged.isEmpty ? .negative : .done))
        let check = try await world.run("merge", "--check", "b", "h", "t")
        let word = merged.isEmpty ? "nothing; a conflict remains" : "auto"
        #expect(check.text == "merged by: \(word)\nsymmetric: yes\nidempotent: yes\n")
    }
}
