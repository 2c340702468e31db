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
}
