import Testing

@testable import FilesinkiMerge

@Suite("Property lists merged by key")
struct PropertyListMergeTests {
    private static let base = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t<key>Name</key>
        \t<string>x</string>
        \t<!-- on or off -->
        \t<key>On</key> <true/>
        \t<key>List</key>
        \t<array>
        \t\t<string>one</string>
        \t\t<dict>
        \t\t\t<key>K</key>
        \t\t\t<integer>1</integer>
        \t\t\t<key>M</key>
        \t\t\t<integer>1</integer>
        \t\t</dict>
        \t</array>
        </dict>
        </plist>

        """

    private static func edited(_ parts: String...) -> String {
        stride(from: 0, to: parts.count, by: 2).reduce(base) { text, index in
            text.replacing(parts[index], with: parts[index + 1])
        }
    }

    private static let added = "</array>\n\t<key>B</key>\n\t<real>2</real>\n"

    static let rows: [MergeCase] = [
        MergeCase(
            "values of two keys", base, edited(">x<", ">y<"), edited("<true/>", "<false/>"),
            edited(">x<", ">y<", "<true/>", "<false/>")),
        MergeCase(
            "a value of another type, and one of another key", base,
            edited("<string>x</string>", "<integer>1</integer>"), edited("<true/>", "<false/>"),
            edited("<string>x</string>", "<integer>1</integer>", "<true/>", "<false/>")),
        MergeCase(
            "the type of a value here, the value there", base,
            edited("<string>x</string>", "<integer>x</integer>"), edited(">x<", ">y<"),
            "declined: /dict/Name"),
        MergeCase(
            "a key added, and a value in a list", base,
            edited("</array>\n", added),
            edited("<integer>1</integer>\n\t\t</", "<integer>2</integer>\n\t\t</"),
            edited(
                "</array>\n", added, "<integer>1</integer>\n\t\t</", "<integer>2</integer>\n\t\t</")
        ),
        MergeCase(
            "one key added by both, with two values", base, edited("</array>\n", added),
            edited("</array>\n", added.replacing("2", with: "3")), "declined: /dict/B"),
        MergeCase(
            "a key removed with its comment, another one edited", base,
            edited("\t<!-- on or off -->\n\t<key>On</key> <true/>\n", ""), edited(">x<", ">y<"),
            edited("\t<!-- on or off -->\n\t<key>On</key> <true/>\n", "", ">x<", ">y<")),
        MergeCase(
            "a key renamed here, its value changed there", base, edited("Name", "Title"),
            edited(">x<", ">y<"), "declined: /dict/Name"),
        MergeCase(
            "a dictionary that became a list here and has a key more there", base,
            edited(
                "\t<array>", "\t<dict>", "</array>", "</dict>", "<string>one</string>",
                "<key>Z</key>"),
            edited("<string>one</string>", "<string>two</string>"), "declined: /dict/List/string"),
        MergeCase(
            "both keys of a dictionary in a list", base,
            edited("<integer>1</integer>\n\t\t\t<key>M", "<integer>2</integer>\n\t\t\t<key>M"),
            edited("<integer>1</integer>\n\t\t</", "<integer>3</integer>\n\t\t</"),
            edited(
                "<integer>1</integer>\n\t\t\t<key>M", "<integer>2</integer>\n\t\t\t<key>M",
                "<integer>1</integer>\n\t\t</", "<integer>3</integer>\n\t\t</")),
    ]

    @Test("each row merges as it says, from both sides", arguments: rows)
    func table(_ row: MergeCase) {
        #expect(TreeMerge(format: XMLFormat()).merge(row.input).shown == row.merged)
        #expect(TreeMerge(format: XMLFormat()).merge(row.input.swapped).shown == row.merged)
    }

    @Test("one that is not XML is merged as text")
    func openStep() {
        let merge = DocumentFormat.xml.textMerge
        let row = MergeCase(
            "", "{ a = b; }\n\n{ c = d; }\n", "{ a = x; }\n\n{ c = d; }\n",
            "{ a = b; }\n\n{ c = y; }\n", "{ a = x; }\n\n{ c = y; }\n")
        #expect(DocumentFormat.xml.mergeDocuments(row.input) == nil)
        #expect(merge.merge(row.input).shown == row.merged)
        let broken = MergeCase("", "<a>\n\nb\n\nc\n", "<a>\n\nx\n\nc\n", "<a>\n\nb\n\ny\n", "")
        #expect(merge.merge(broken.input).shown == "declined: ")
        let emptied = MergeCase("", "a\n\nb\n\nc\n", "", "a\n\nb\n\ny\n", "")
        #expect(merge.merge(emptied.input).shown == "declined: ")
    }

    @Test("a dictionary that is not of pairs is one value")
    func unpaired() {
        func list(_ first: String, _ second: String) -> String {
            "<plist><dict><key>a</key><string>\(first)</string><string>\(second)</string></dict></plist>"
        }
        let row = MergeCase("", list("1", "1"), list("2", "1"), list("1", "2"), "")
        #expect(TreeMerge(format: XMLFormat()).merge(row.input).shown == "declined: /dict/text()")
    }
}
