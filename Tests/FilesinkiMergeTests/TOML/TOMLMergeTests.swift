import FilesinkiModel
import Testing

@testable import FilesinkiMerge

@Suite("TOML merged by table and key")
struct TOMLMergeTests {
    private let merge = TreeMerge(format: TOMLFormat())

    private func merged(_ base: String?, _ ours: String, _ theirs: String) -> String? {
        let input = MergeInput(
            base: base.map { Array($0.utf8) }, ours: Array(ours.utf8), theirs: Array(theirs.utf8))
        let outcomes = [merge.merge(input), merge.merge(input.swapped)]
        #expect(outcomes[0] == outcomes[1] || base == nil, "both orders are equal")
        guard case .merged(let bytes) = outcomes[0] else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let base = "[a]\nx = 1\ny = 2\nz = 3\n\n[b]\nk = 1\nl = 2\nm = 3\n"

    @Test("edits at different places are merged")
    func edits() {
        let ours = Self.base.replacing("x = 1", with: "x = 10")
        let theirs = Self.base.replacing("m = 3", with: "m = 30")
        #expect(
            merged(Self.base, ours, theirs)
                == Self.base.replacing("x = 1", with: "x = 10").replacing("m = 3", with: "m = 30"))
    }

    @Test("a key that both sides add at different places of a table is declined")
    func key() {
        let ours = Self.base.replacing("[a]\n", with: "[a]\nnew = 1\n")
        let theirs = Self.base.replacing("z = 3\n", with: "z = 3\nnew = 2\n")
        #expect(merged(Self.base, ours, theirs) == nil)
    }

    @Test("a table that both sides add at different places is there once")
    func table() {
        let ours = "[new]\nk = 1\n\n" + Self.base
        let theirs = Self.base + "\n[new]\nl = 1\n"
        #expect(merged(Self.base, ours, theirs) == Self.base + "\n[new]\nk = 1\nl = 1\n")
        #expect(merged(Self.base, ours, Self.base + "\n[new]\nk = 2\n") == nil)
    }

    @Test("an element that both sides add to an array of tables is merged")
    func array() {
        let ours = "[[new]]\nk = 1\n\n" + Self.base
        let theirs = Self.base + "\n[[new]]\nk = 2\n"
        #expect(merged(Self.base, ours, theirs) == ours + "\n[[new]]\nk = 2\n")
    }

    @Test("what is not TOML is declined")
    func others() {
        let base = Self.base + "no TOML\n"
        let ours = base.replacing("[a]\n", with: "[a]\nnew = 1\n")
        #expect(merged(base, ours, base.replacing("z = 3", with: "z = 4")) == nil)
        #expect(!DocumentFormat.toml.reads(Array(base.utf8)))
    }

    @Test("one side's content is taken as it is, TOML or not")
    func laws() {
        for text in [Self.base, "k = 1\nk = 2\n", "no TOML\n", ""] {
            #expect(merged(Self.base, Self.base, text) == text)
            #expect(merged(Self.base, text, text) == text)
        }
    }

    @Test(
        "different values are merged, and every other byte stays",
        arguments: [
            MergeCase(
                "arrays over several lines", "d = [\n  \"a\", # one\n  \"c\",\n]\n",
                "d = [\n  \"a\", # one\n  \"b\", # two\n  \"c\",\n]\n",
                "d = [\n  \"a\", # one\n  \"c\",\n  \"d\",\n]\n",
                "d = [\n  \"a\", # one\n  \"b\", # two\n  \"c\",\n  \"d\",\n]\n"),
            MergeCase(
                "inline tables", "a = { x = 1, y = 2 } # c\n", "a = { x = 5, y = 2 } # c\n",
                "a = { x = 1, y = 2, z = 3 } # c\n", "a = { x = 5, y = 2, z = 3 } # c\n"),
            MergeCase(
                "names with dots and quotes", "a.b = 1\n\"c d\".e = 1\n[t.\"x.y\"]\nk = 1\n",
                "a.b = 2\n\"c d\".e = 1\n[t.\"x.y\"]\nk = 1\n",
                "a . \"b\" = 1\n'c d'.e = 3\n[t.\"x.y\"]\nk = 4\n",
                "a . \"b\" = 2\n'c d'.e = 3\n[t.\"x.y\"]\nk = 4\n"),
            MergeCase(
                "arrays of tables by name, with what is below them",
                "[[p]]\nname = \"a\"\nv = 1\n[p.d]\nx = 1\n\n[[p]]\nname = \"b\"\nv = 1\n[p.d]\nx = 1\n",
                "[[p]]\nname = \"a\"\nv = 1\n[p.d]\nx = 2\n\n[[p]]\nname = \"b\"\nv = 1\n[p.d]\nx = 1\n",
                "[[p]]\nname = \"b\"\nv = 3\n[p.d]\nx = 1\n\n[[p]]\nname = \"a\"\nv = 1\n[p.d]\nx = 1\ny = 1\n",
                "[[p]]\nname = \"b\"\nv = 3\n[p.d]\nx = 1\n\n[[p]]\nname = \"a\"\nv = 1\n[p.d]\nx = 2\ny = 1\n"
            ),
            MergeCase(
                "elements without a name, at their places",
                "[[p]]\nx = 1\ny = 1\n[[p]]\nx = 1\ny = 2\n",
                "[[p]]\nx = 5\ny = 1\n[[p]]\nx = 1\ny = 2\n",
                "[[p]]\nx = 1\ny = 1\n[[p]]\nx = 6\ny = 2\n",
                "[[p]]\nx = 5\ny = 1\n[[p]]\nx = 6\ny = 2\n"),
            MergeCase(
                "one element without a name", "[[p]]\nx = 1\ny = 1\nz = 1\n",
                "[[p]]\nx = 5\ny = 1\nz = 1\n",
                "[[p]]\nx = 1\ny = 6\nz = 1\n", "[[p]]\nx = 5\ny = 6\nz = 1\n"),
            MergeCase(
                "one element inserted before one that the other side edits",
                "[[p]]\nx = 1\ny = 1\n[[p]]\nx = 1\ny = 2\n",
                "[[p]]\nx = 3\ny = 3\n[[p]]\nx = 1\ny = 1\n[[p]]\nx = 1\ny = 2\n",
                "[[p]]\nx = 1\ny = 1\n[[p]]\nx = 6\ny = 2\n",
                "[[p]]\nx = 3\ny = 3\n[[p]]\nx = 1\ny = 1\n[[p]]\nx = 6\ny = 2\n"),
            MergeCase(
                "tables added behind the only one, without a blank line more",
                "k = 1\n[t]\nx = 1\n",
                "k = 1\n[t]\nx = 2\n", "k = 1\n[t]\nx = 1\n[u]\ny = 1\n",
                "k = 1\n[t]\nx = 2\n[u]\ny = 1\n"),
            MergeCase(
                "tables added by both behind the only one", "k = 1\n[t]\nx = 1\n",
                "k = 1\n[t]\nx = 1\n[v]\nz = 1\n", "k = 1\n[t]\nx = 1\n[u]\ny = 1\n",
                "k = 1\n[t]\nx = 1\n[u]\ny = 1\n[v]\nz = 1\n"),
            MergeCase(
                "strings of several lines", "s = \"\"\"\n[x]\n# y\n\"\"\"\nn = 1\nt = '''a\\'''\n",
                "s = \"\"\"\n[x]\n# z\n\"\"\"\nn = 1\nt = '''a\\'''\n",
                "s = \"\"\"\n[x]\n# y\n\"\"\"\nn = 2\nt = '''a\\'''\n",
                "s = \"\"\"\n[x]\n# z\n\"\"\"\nn = 2\nt = '''a\\'''\n"),
            MergeCase(
                "keys stay above tables", "a = 1\n\n[t]\nk = 1\n", "a = 1\nz = 1\n\n[t]\nk = 1\n",
                "a = 1\n\n[b]\nk = 1\n\n[t]\nk = 1\n", "a = 1\nz = 1\n\n[b]\nk = 1\n\n[t]\nk = 1\n"),
            MergeCase(
                "another spelling yields to another value", "s = 'x'\nd = 1979-05-27T07:32:00Z\n",
                "s = \"x\"\nd = 1979-05-27T07:32:00Z\n", "s = 'y'\nd = 1979-05-28\n",
                "s = 'y'\nd = 1979-05-28\n"),
        ])
    func kept(_ row: MergeCase) {
        #expect(merge.merge(row.input).shown == row.merged)
        #expect(merge.merge(row.input.swapped).shown == row.merged)
    }

    @Test(
        "what would have to be guessed, or would be no TOML, is declined",
        arguments: [
            MergeCase(
                "two values", "[t]\nk = 1\n", "[t]\nk = 2\n", "[t]\nk = 3\n", "declined: /t/k"),
            MergeCase(
                "a key in a removed table", "[t]\nk = 1\n[u]\n", "[u]\n",
                "[t]\nk = 1\nl = 1\n[u]\n",
                "declined: /t"),
            MergeCase(
                "a table and a key of one name", "x = 1\n", "x = 1\n[a]\nk = 1\n", "a = 1\nx = 1\n",
                "declined: "),
            MergeCase(
                "dotted keys and a table", "x = 1\n", "x = 1\n[a]\nk = 1\n", "a.l = 1\nx = 1\n",
                "declined: "),
            MergeCase(
                "an element removed here and edited there, where as many are left",
                "[[p]]\nx = 1\ny = 1\n[[p]]\nx = 1\ny = 2\n",
                "[[p]]\nx = 1\ny = 2\n[[p]]\nx = 1\ny = 3\n",
                "[[p]]\nx = 5\ny = 1\n[[p]]\nx = 1\ny = 2\n", "declined: /p"),
            MergeCase(
                "a range", "r = [1, 5]\n", "r = [5, 9]\n", "r = [1, 7]\n", "declined: /r"),
            MergeCase(
                "two orders of values", "r = ['a', 'b', 'c']\n", "r = ['b', 'a', 'c']\n",
                "r = ['a', 'c', 'b']\n", "declined: /r"),
            MergeCase(
                "two orders of tables", "k = 1\n[[p]]\nid = 1\n[[p]]\nid = 2\n[[p]]\nid = 3\n",
                "k = 1\n[[p]]\nid = 2\n[[p]]\nid = 1\n[[p]]\nid = 3\n",
                "k = 1\n[[p]]\nid = 1\n[[p]]\nid = 3\n[[p]]\nid = 2\n", "declined: /p"),
            MergeCase(
                "the same element", "[[p]]\nx = 1\n", "[[p]]\nx = 2\n", "[[p]]\nx = 3\n",
                "declined: "),
        ])
    func guessed(_ row: MergeCase) {
        #expect(merge.merge(row.input).shown == row.merged)
        #expect(merge.merge(row.input.swapped).shown == row.merged)
    }

    @Test(
        "what a document may define twice, by the specification",
        arguments: [
            ("k = 1\nk = 2", false), ("k = 1\n'k' = 2", false), ("a.b = 1\na.c = 2", true),
            ("a.b = 1\na.b = 2", false), ("a = 1\na.b = 2", false), ("a.b = 1\na = 2", false),
            ("[t]\n[t]", false), ("[t]\nk = 1\n[t.u]\nk = 1", true), ("[t.u]\n[t]\nk = 1", true),
            ("[t.u]\n[t]\n[t]", false), ("[t]\nu.k = 1\n[t.u]", false),
            ("[t]\nu.k = 1\n[t.u.v]", true),
            ("[[t]]\nk = 1\n[[t]]\nk = 1", true), ("[[t]]\n[t]", false), ("[t]\n[[t]]", false),
            ("[[t]]\n[t.u]\n[[t]]\n[t.u]", true), ("[[t]]\n[t.u]\n[t.u]", false),
            ("k = 1\n[k]", false), ("[k]\n[k.l]\n[k.m]", true), ("k = {a = 1, a = 2}", false),
            ("k = {a = 1}\nk.b = 2", false), ("k = [{a = 1}, {a = 1}]", true),
            ("k = [{a = 1, a = 1}]", false), ("", true), ("k", false),
        ] as [(String, Bool)])
    func definitions(text: String, isDocument: Bool) {
        #expect(TOMLDefinitions.isDocument(Array((text + "\n").utf8)) == isDocument)
    }
}
