import Testing

@testable import FilesinkiMerge

@Suite("Lines of calendars and cards")
struct ContentLineTests {
    private static func line(_ text: String) -> (bytes: [UInt8], line: ContentLine?) {
        let bytes = Array(text.utf8)
        var names = ContentLineNames(SyntaxStore(bytes), .card)
        return (bytes, ContentLine(bytes, at: 0, &names))
    }

    @Test(
        "a name, parameters and a value",
        arguments: [
            ("A:1\n", "A", "", "1"), ("A;B=c:1\r\n", "A", ";B=c", "1"), ("A:\n", "A", "", ""),
            ("A:1;2:3", "A", "", "1;2:3"), ("A;B=\"c:d\":1\n", "A", ";B=\"c:d\"", "1"),
            ("A;B=\"c;d\";E=f:1\n", "A", ";B=\"c;d\";E=f", "1"), ("A:\"1\"\n", "A", "", "\"1\""),
            ("item1.A:1\n", "item1.A", "", "1"), ("A:1\n 2\nB:3\n", "A", "", "1\n 2"),
            ("A:1\r\n\t2\r\n", "A", "", "1\r\n\t2"), ("A:\t1\n", "A", "", "\t1"),
        ])
    func parts(_ text: String, _ name: String, _ parameters: String, _ value: String) throws {
        let (bytes, found) = Self.line(text)
        let line = try #require(found)
        #expect(bytes[..<line.nameEnd].elementsEqual(name.utf8))
        #expect(bytes[line.nameEnd..<line.colon].elementsEqual(parameters.utf8))
        #expect(bytes[(line.colon + 1)..<line.valueEnd].elementsEqual(value.utf8))
        #expect(line.hasParameters == !parameters.isEmpty)
        #expect(line.isFolded == value.contains(where: \.isNewline))
    }

    @Test(
        "what is none",
        arguments: [
            "", "\n", "A\n", ":1\n", "A B:1\n", "Ä:1\n", "a.b.C:1\n", ".A:1\n", "A.:1\n",
            "A:\u{0}\n", "A:1\u{1F}\n", "A:1\r2\n", "A:1\r", "A;B=\"c:1\n", "A;B=c\n",
        ])
    func none(_ text: String) {
        #expect(Self.line(text).line == nil)
    }

    @Test(
        "how a value is coded is a parameter's name or value, in any case of the letters",
        arguments: [
            ("A;QUOTED-PRINTABLE:1\n", true, false),
            ("A;encoding=quoted-printable:1\n", true, false),
            ("A;BASE64:1\n", false, true), ("A;ENCODING=b:1\n", false, true),
            ("A;ENCODING=B;TYPE=x:1\n", false, true), ("A;BB=BASE:1\n", false, false),
            ("BASE64:B\n", false, false), ("A;X=QUOTED-PRINTABLE-2:1\n", false, false),
            ("A;TYPE=x;BASE64:1\n", false, true),
        ])
    func encoding(_ text: String, _ isQuotedPrintable: Bool, _ isBase64: Bool) throws {
        let line = try #require(Self.line(text).line)
        #expect(line.isQuotedPrintable == isQuotedPrintable)
        #expect(line.isBase64 == isBase64)
    }

    @Test(
        "quoted-printable text goes on behind a line that ends with an equals sign",
        arguments: [
            ("A;QUOTED-PRINTABLE:1=\n2\nB:3\n", "1=\n2"),
            ("A;QUOTED-PRINTABLE:1=\r\n2=\r\n3\r\nB:3\r\n", "1=\r\n2=\r\n3"),
            ("A;QUOTED-PRINTABLE:1\n2\n", "1"), ("A:1=\n2\n", "1="),
            ("A;QUOTED-PRINTABLE:1=\n", "1="), ("A;QUOTED-PRINTABLE:1=\n2\n 3\n", "1=\n2\n 3"),
        ])
    func quotedPrintable(_ text: String, _ value: String) throws {
        let (bytes, found) = Self.line(text)
        let line = try #require(found)
        #expect(bytes[(line.colon + 1)..<line.valueEnd].elementsEqual(value.utf8))
    }

    @Test(
        "a fold is a line end and one space or tab",
        arguments: [
            ("ab", "ab"), ("a\n b", "ab"), ("a\r\n\tb", "ab"), ("a\n  b", "a b"), ("a\nb", "ab"),
            ("a\n \n b", "ab"), ("\n a\n ", "a"), ("a\rb\n c", "a\rbc"), ("", ""), ("a\n", "a"),
        ])
    func unfolded(_ text: String, _ unfolded: String) {
        #expect(Array(text.utf8)[...].unfolded.elementsEqual(unfolded.utf8))
    }

    @Test(
        "folds behind each other are passed, and nothing else",
        arguments: [
            ("\n a", 2), ("\r\n\ta", 3), ("\n \r\n a", 5), ("\na", 0), (" a", 0), ("\n", 0),
            ("\r", 0), ("\r a", 0), ("", 0), ("\n ", 2),
        ])
    func foldEnd(_ text: String, _ end: Int) {
        #expect(Array(text.utf8).foldEnd(from: 0) == end)
    }

    @Test(
        "a line's text ends before its line end, of whichever kind",
        arguments: [
            ("a\n", 1), ("a\r\n", 1), ("a\r", 2), ("a", 1), ("\n", 0), ("\r\n", 0), ("", 0),
            ("a\n\n", 2), ("a\r\r\n", 2),
        ])
    func textEnd(_ text: String, _ end: Int) {
        let bytes = Array(text.utf8)
        #expect(bytes.textEnd(before: bytes.count) == end)
    }

    @Test("only the letters of ASCII have another case")
    func upperCase() {
        #expect("az{`AZ09-".utf8.map(\.uppercasedASCII) == Array("AZ{`AZ09-".utf8))
        #expect(([0xE4, 0xFF] as [UInt8]).map(\.uppercasedASCII) == [0xE4, 0xFF])
    }

    @Test("one name has one number, in whichever letters")
    func numbers() {
        var names = ContentLineNames(SyntaxStore([]), .card)
        let spellings = [
            "BEGIN", "END", "UID", "TZID", "RECURRENCE-ID", "N", "FN", "Begin", "tel", "TEL",
            "item1.tel", "ITEM1.Tel", "X_1-A", "a b", "a.b.c",
        ]
        var numbers: [Int?] = []
        for spelling in spellings {
            numbers.append(names.number(of: Array(spelling.utf8)[...]))
        }
        #expect(numbers == [0, 1, 2, 3, 4, 5, 6, 0, 7, 7, 8, 8, 9, nil, nil])
        #expect(names.count == 10)
        let known = [
            ContentLineNames.begin, ContentLineNames.end, ContentLineNames.uid,
            ContentLineNames.timeZone, ContentLineNames.recurrence, ContentLineNames.name,
            ContentLineNames.formattedName,
        ]
        #expect(known == Array(0...6))
    }

    @Test(
        "a name is described without its group",
        arguments: [
            ("a.agent", true, .name), ("agent.a", false, .name), ("a.tel", false, .value),
            ("tel.a", false, .name), ("categories", false, .list),
        ] as [(String, Bool, ContentLineDialect.Identity)])
    func described(
        _ spelling: String, _ isAgent: Bool, _ identity: ContentLineDialect.Identity
    ) throws {
        var names = ContentLineNames(SyntaxStore([]), .card)
        let found = names.number(of: Array(spelling.utf8)[...])
        let number = try #require(found)
        let name = names[number]
        #expect(name.isAgent == isAgent)
        #expect(name.identity == identity)
        #expect(name.bytes == name.bytes.map(\.uppercasedASCII))
    }
}
