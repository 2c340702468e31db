import FilesinkiText
import Testing

@Suite struct ShellWordTests {
    @Test(
        "a word is quoted only where a shell would not take it as it is",
        arguments: [
            ("abc", "abc"), ("a-b_c.d/e:f,g=h@i%j+k", "a-b_c.d/e:f,g=h@i%j+k"), ("", "''"),
            ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("'", "''\\'''"), ("$HOME", "'$HOME'"),
            ("a\nb", "'a\nb'"), ("~", "'~'"), ("*", "'*'"), ("é", "'é'"), ("a\\b", "'a\\b'"),
            ("`x`", "'`x`'"), ("a;b", "'a;b'"), ("\"", "'\"'"), ("#", "'#'"), ("!", "'!'"),
        ])
    func quoted(_ word: String, _ quoted: String) {
        #expect(ShellWord.quoted(word) == quoted)
    }

    @Test(
        "a command to paste has what a terminal must not get in the shell's own form",
        arguments: [
            ("abc", "abc"), ("a b", "'a b'"), ("a\\b", "'a\\b'"), ("\\x5c", "'\\x5c'"),
            ("a\nb", "$'a\\nb'"), ("\u{1B}[2J", "$'\\033[2J'"), ("it's\t\\1", "$'it\\'s\\t\\\\1'"),
            ("é\u{202E}x", "$'é\\342\\200\\256x'"), ("", "''"),
        ])
    func shown(_ word: String, _ shown: String) {
        #expect(ShellWord.shown(word.utf8) == shown)
    }

    @Test func `a path is no option`() {
        #expect(ShellWord.path("-rf".utf8) == "./-rf")
        #expect(ShellWord.path("- x".utf8) == "./'- x'")
        #expect(ShellWord.path("a/-rf".utf8) == "a/-rf")
    }

    @Test func `bytes outside of UTF-8 are octal numbers`() {
        // A digit behind one is not a part of it.
        #expect(ShellWord.shown([0xFF, 0x0A] + Array(".txt".utf8)) == "$'\\377\\n.txt'")
        #expect(ShellWord.shown([0xC3, UInt8(ascii: "1")]) == "$'\\3031'")
    }
}
