import Testing

@testable import FilesinkiMerge

/// What a tree costs: documents of 1 MB have tens of thousands of items, in three versions.
@Suite struct SyntaxItemTests {
    @Test func `an item is at most 72 bytes, and its value at most 28 of them`() {
        #expect(MemoryLayout<SyntaxItem>.stride <= 72)
        #expect(MemoryLayout<SyntaxNode>.stride <= 28)
    }

    @Test func `the items of each container are its own, whatever was read before them`() throws {
        let text = "{\"a\": [1, {\"b\": 2}], \"c\": {}, \"d\": [3]}"
        let tree = try #require(JSONCFormat().read(Array(text.utf8)))
        let counts = tree.items(of: tree.root).map { tree.items(of: $0.value).count }
        #expect(counts == [2, 0, 1])
        let names = tree.items(of: tree.root).map {
            String(decoding: tree.slice($0.name), as: UTF8.self)
        }
        #expect(names == ["a", "c", "d"])
    }

    @Test func `a name that is written otherwise is what it means`() throws {
        let tree = try #require(TOMLFormat().read(Array("a . \"b\" = 1\n'c d' = 2\n".utf8)))
        let names = tree.items(of: tree.root).map {
            String(decoding: tree.slice($0.name), as: UTF8.self)
        }
        #expect(names == ["a.b", "\"c d\""])
    }

    @Test
    func `a name of a content line is one in any case of its letters and however it is folded`()
        throws
    {
        let text = """
            BEGIN:VCARD
            VERSION:4.0
            FN:Ann
            note:a
            No
             te:b
            item1.NOTE:c
            END:VCARD

            """
        let tree = try #require(ContentLineFormat(dialect: .card).read(Array(text.utf8)))
        let card = try #require(tree.items(of: tree.root).first).value
        let names = tree.items(of: card).map {
            String(decoding: tree.slice($0.name), as: UTF8.self)
        }
        #expect(names == ["VERSION", "FN", "NOTE", "NOTE", "ITEM1.NOTE"])
        let keys = tree.items(of: card).map { String(decoding: tree.slice($0.key), as: UTF8.self) }
        #expect(keys == ["VERSION", "FN", "NOTE\0=a", "NOTE\0=b", "ITEM1.NOTE"])
    }

    @Test func `a pair of a property list has the name of a container as its first item`() throws {
        let text = """
            <plist><dict>
            <key>a</key><array><true/></array>
            <key>b</key><dict/>
            <key>c</key><string>d</string>
            </dict></plist>

            """
        let tree = try #require(XMLFormat().read(Array(text.utf8)))
        let dictionary = try #require(tree.items(of: tree.root).last).value
        let pairs = tree.items(of: dictionary).filter { $0.value.form == .pair }
        let firsts = pairs.map { pair in
            tree.items(of: pair.value).first.map {
                String(decoding: tree.slice($0.value.meaning), as: UTF8.self)
            }
        }
        #expect(firsts == ["array", "dict", nil])
        #expect(pairs.map { tree.items(of: $0.value).count } == [3, 1, 0])
    }
}
