import Testing

/// Some rules, what they leave out and what they keep; a slash at the end makes a path a folder.
struct IgnoreCase: CustomTestStringConvertible {
    var title: String
    var rules: String
    var ignored: [String] = []
    var kept: [String] = []

    var testDescription: String { title }

    var world: IgnoreWorld {
        var world = IgnoreWorld()
        world.rules[[]] = Array(rules.utf8)
        for path in ignored + kept {
            let isDirectory = path.hasSuffix("/")
            world.add(
                Array((isDirectory ? String(path.dropLast()) : path).utf8), isDirectory: isDirectory
            )
        }
        return world
    }

    static let all: [IgnoreCase] = [
        .init(title: "a blank line matches nothing", rules: "\n\n", kept: ["a"]),
        .init(title: "a # begins a comment", rules: "#a", kept: ["#a", "a"]),
        .init(title: "a backslash before # makes it a name", rules: "\\#a", ignored: ["#a"]),
        .init(title: "trailing spaces do not count", rules: "a  ", ignored: ["a"], kept: ["a  "]),
        .init(
            title: "a backslash keeps a trailing space", rules: "a\\ ", ignored: ["a "], kept: ["a"]
        ),
        .init(title: "a trailing tab counts", rules: "a\t", ignored: ["a\t"], kept: ["a"]),
        .init(title: "! takes back", rules: "*.o\n!b.o", ignored: ["a.o"], kept: ["b.o"]),
        .init(title: "the last match decides", rules: "!a\na", ignored: ["a"]),
        .init(title: "a backslash before ! makes it a name", rules: "\\!a", ignored: ["!a"]),
        .init(
            title: "nothing inside a folder that is left out can be taken back",
            rules: "d/\n!d/a", ignored: ["d/", "d/a"]),
        .init(
            title: "what is left out by its own name can be taken back",
            rules: "d/*\n!d/a", ignored: ["d/b"], kept: ["d/", "d/a"]),
        .init(
            title: "a name matches at any depth", rules: "a", ignored: ["a", "x/a", "x/y/a"],
            kept: ["ab", "x/ba"]),
        .init(title: "a slash at the start anchors", rules: "/a", ignored: ["a"], kept: ["x/a"]),
        .init(
            title: "a slash in the middle anchors", rules: "d/a", ignored: ["d/a"], kept: ["x/d/a"]),
        .init(
            title: "a slash at the end is for folders only", rules: "a/",
            ignored: ["a/", "x/a/", "x/a/b"], kept: ["y/a"]),
        .init(
            title: "* matches no slash", rules: "d/*/a", ignored: ["d/x/a"],
            kept: ["d/a", "d/x/y/a"]),
        .init(title: "* matches nothing too", rules: "a*b", ignored: ["ab", "axb"], kept: ["abc"]),
        .init(
            title: "? matches one byte but no slash", rules: "d?a\nx/?", ignored: ["dxa", "x/y"],
            kept: ["d/a", "da", "x/yz"]),
        .init(
            title: "a suffix", rules: "*.txt", ignored: ["a.txt", ".txt", "x/b.txt"],
            kept: ["a.txt.gz", "txt"]),
        .init(
            title: "**/ is any depth", rules: "**/d/a", ignored: ["d/a", "x/d/a", "x/y/d/a"],
            kept: ["xd/a"]),
        .init(
            title: "/** is all inside", rules: "d/**", ignored: ["d/a", "d/x/a"],
            kept: ["d/", "x/d/a"]),
        .init(
            title: "/**/ is any folders between", rules: "a/**/b",
            ignored: ["a/b", "a/x/b", "a/x/y/b"], kept: ["a/xb"]),
        .init(
            title: "** elsewhere is *", rules: "/a**b/c", ignored: ["ab/c", "axb/c"],
            kept: ["x/ab/c"]),
        .init(
            title: "** after a literal beginning is read as git reads it", rules: "foo**/bar",
            ignored: ["foobar", "foo/bar", "foo/x/bar", "foox/bar"]),
        .init(title: "a range", rules: "[a-c]x", ignored: ["ax", "bx", "cx"], kept: ["dx", "Ax"]),
        .init(
            title: "a negated class, by ! and by ^", rules: "[!a]x\n[^b]y", ignored: ["bx", "ay"],
            kept: ["ax", "by"]),
        .init(title: "a class never matches a slash", rules: "a[!x]b\na[/]b", kept: ["a/b"]),
        .init(
            title: "] first is a member", rules: "[]a]x\n[!]a]y", ignored: ["]x", "ax", "by"],
            kept: ["]y", "ay", "bx"]),
        .init(
            title: "- at an end is a member", rules: "[a-]x\n[-a]y",
            ignored: ["-x", "ax", "-y", "ay"]),
        .init(
            title: "POSIX classes", rules: "[[:alpha:]]1\n[[:digit:][:upper:]]2",
            ignored: ["a1", "Z1", "02", "B2"], kept: ["11", "b2", "é1"]),
        .init(
            title: "white space is as git counts it", rules: "a[[:space:]]b",
            ignored: ["a b", "a\tb"], kept: ["a\u{0B}b", "a\u{0C}b"]),
        .init(
            title: "a POSIX class that does not exist matches nothing",
            rules: "[[:foo:]]\n[[:foo:]a]", kept: ["a", "f", ":"]),
        .init(
            title: "a class that does not close matches nothing", rules: "[a\na[\n[",
            kept: ["[a", "a", "a[", "["]),
        .init(
            title: "a backslash escapes a wildcard", rules: "\\*a\n\\[b]\nc\\?",
            ignored: ["*a", "[b]", "c?"], kept: ["xa", "b", "cd"]),
        .init(title: "a backslash at the end matches nothing", rules: "a\\", kept: ["a", "a\\"]),
        .init(title: "a byte order mark does not count", rules: "\u{FEFF}a", ignored: ["a"]),
        .init(title: "CRLF ends a line", rules: "a\r\nb\r\n", ignored: ["a", "b"], kept: ["a\r"]),
        .init(
            title: "a carriage return at the end of the file", rules: "a\r", ignored: ["a"],
            kept: ["a\r"]),
        .init(
            title: "slashes alone match nothing", rules: "/\n//\n!\n!/\n///",
            kept: ["a", "a/", "b/c"]),
        .init(title: "* matches hidden names", rules: "*", ignored: [".a", "a", ".d/"]),
        .init(
            title: "only one folder is kept", rules: "/*\n!/foo\n/foo/*\n!/foo/bar",
            ignored: ["a", "foo/x"], kept: ["foo/", "foo/bar/", "foo/bar/x"]),
        .init(title: "case counts", rules: "README", ignored: ["README"], kept: ["readme"]),
        .init(
            title: "an NFC name is not its NFD twin", rules: "\u{E9}", ignored: ["\u{E9}"],
            kept: ["e\u{301}"]),
    ]
}
