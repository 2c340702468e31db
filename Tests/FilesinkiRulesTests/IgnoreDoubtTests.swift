import FilesinkiModel
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
            ("\t.env", 1, .blank), (" # mine", 1, .blank),
            ("! .env\r\n", 1, .blankBehindMark(Array(".env".utf8))),
            ("*.{key,.pem}", 1, .braces), ("(?d)*.key", 1, .flags), ("a\n(?i)*.KEY\r\n", 2, .flags),
            ("!(?di)a", 1, .flags), ("- *.key", 1, .minus), ("+ *.txt", 1, .plus),
            ("Name *.key", 1, .keyword), ("Path a/*", 1, .keyword), ("Regex .*", 1, .keyword),
            ("Regex ^a$", 1, .keyword), ("BelowPath {a,b}", 1, .keyword),
            ("ignore = Name *.key", 1, .keyword), ("*.key *.pem  ", 1, .list),
            ("*.key, *.pem", 1, .list), ("*.key,*.pem", 1, .list), ("*.key;*.pem", 1, .list),
            ("*.key\t.npmrc secret/ *~", 1, .list), ("a/* **/b*", 1, .list),
        ] as [(String, Int, IgnoreDoubt.Cause)])
    func doubtful(_ text: String, _ line: Int, _ cause: IgnoreDoubt.Cause) {
        let found = IgnoreDoubt.all(in: Array(text.utf8))
        #expect(found == [IgnoreDoubt(line: line, cause: cause)])
        let rules = IgnoreRules(Array(text.utf8))
        let name = Array(".env".utf8)
        let match = rules.lastMatch(name: name.span, path: name.span, isDirectory: false)
        #expect(match == nil || match?.line != line)
    }

    @Test("of a blank behind the mark of a line it is said that it belongs to the pattern")
    func blankBehindMark() {
        let found = IgnoreDoubt.all(in: Array("*.log\n!  keep.log\n!\\ a\n!  \n".utf8))
        #expect(
            found.map { $0.failure(in: ".filesinkiignore").description } == [
                ".filesinkiignore: Line 2 has a blank behind the !, which belongs to the pattern, and includes names "
                    + "that begin with one only. Write !keep.log; for a name that begins with a blank, write a "
                    + "backslash before it."
            ])
    }

    @Test(
        "whether a line is doubtful depends on what the root has",
        arguments: [
            ("{a,b}", "{a,b}", []), ("{a,b}", "a", [.braces]), ("- x", "d/- x", []),
            ("- x", "d/x", [.minus]), ("+ x", "+ x", []), ("(?d)x", "(ad)x", []),
            ("Name *.key", "Name a.key", []), ("Path x", "x", [.keyword]), ("Path x", "y", []),
            ("Name of the rose.txt", "of the rose.txt", [.keyword]),
            ("Name of the rose.txt", "Name of the rose.txt", []),
            (".env .npmrc", ".npmrc", [.list]), (".env .npmrc", ".env .npmrc", []),
            ("*.a, *.b", "x.a, y.b", []), ("*.a, *.b", "x.a", [.list]), ("x", "x", []),
        ] as [(String, String, [IgnoreDoubt.Cause])])
    func named(_ line: String, _ path: String, _ causes: [IgnoreDoubt.Cause]) throws {
        let path = try RelativePath(path)
        let found = IgnoreDoubt.all(in: Array(line.utf8)) { $0.matches(path, isDirectory: false) }
        #expect(found.map(\.cause) == causes)
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
            "\u{FEFF}.env\n", "My Documents/", "Name of the rose.txt", "Smith, J.pdf",
            "Smith, J*.pdf", "*.txt,v", "* copy.*", "a,b", "Path x", "Name ", "Regex", "- ", "+",
            "(?).txt", "(?i)", "(a)*.key", "*.a[ ]*.b", "*.a\\ *.b", ".env .npmrc", "*.c x *~",
            "Name[ ]*.key", "-[ ]*.key",
        ])
    func plain(_ text: String) { #expect(IgnoreDoubt.all(in: Array(text.utf8)).isEmpty) }
}
