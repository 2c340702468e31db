import Testing

@testable import FilesinkiRules

@Suite("Doubtful lines of ignore files")
struct IgnoreDoubtTests {
    @Test(
        "a line that does not ignore what it seems to is named",
        arguments: [
            (".env\n./.env\n", 2, IgnoreDoubt.Cause.dot), ("!../x", 1, .dot), ("./a\r\n", 1, .dot),
            (".env # mine", 1, .comment), ("a\t#b\n", 1, .comment), (".env\t\n", 1, .tab),
            ("\n\n!.env\t\r\n", 3, .tab), (".{env,pem}", 1, .braces), ("~/.env", 1, .shell),
            ("\".env\"", 1, .shell), ("'.env'", 1, .shell), ("a\n  .env\n", 2, .blank),
            ("\t.env", 1, .blank), ("! .env", 1, .blank), (" # mine", 1, .blank),
        ])
    func doubtful(_ text: String, _ line: Int, _ cause: IgnoreDoubt.Cause) {
        let found = IgnoreDoubt.all(in: Array(text.utf8))
        #expect(found == [IgnoreDoubt(line: line, cause: cause)])
        let rules = IgnoreRules(Array(text.utf8))
        let name = Array(".env".utf8)
        let match = rules.lastMatch(name: name.span, path: name.span, isDirectory: false)
        #expect(match == nil || match?.line != line)
    }

    @Test(
        "a file in UTF-16 ignores nothing", arguments: [[0xFF, 0xFE], [0xFE, 0xFF]] as [[UInt8]])
    func encoding(_ mark: [UInt8]) {
        let text = mark + [UInt8(ascii: "a"), 0, 0x0A, 0]
        #expect(IgnoreDoubt.all(in: text) == [IgnoreDoubt(line: 1, cause: .encoding)])
    }

    @Test(
        "a path of the machine is doubtful if it leads into the root",
        arguments: [
            ("/home/u/work/x", true), ("/home/u/work", true), ("!/home/u/work/x\r\n", true),
            ("/home/u/works", false), ("/home/u", false), ("home/u/work/x", false),
        ])
    func absolute(_ line: String, _ isDoubtful: Bool) {
        let found = IgnoreDoubt.all(in: Array(line.utf8), root: "/home/u/work")
        #expect(found.map(\.cause) == (isDoubtful ? [.absolute] : []))
        #expect(IgnoreDoubt.all(in: Array("/x".utf8), root: "/").isEmpty)
    }

    @Test(
        "other lines are not",
        arguments: [
            "{", "{a}", "}a,b{", "\"", "a\"b\"", "", "#", "# ./a", ".env", "a#b", "a [#]b",
            "*.o\r\n!b", ".", "..", "a/./b", "a \n", "  \n", "\\ a", "/home/u/work/x",
            "\u{FEFF}.env\n",
        ])
    func plain(_ text: String) { #expect(IgnoreDoubt.all(in: Array(text.utf8)).isEmpty) }
}
