import FilesinkiModel
import Testing

@testable import FilesinkiMerge

@Suite("TOML merged as text")
struct TOMLTextMergeTests {
    private func merged(_ base: String?, _ ours: String, _ theirs: String) -> String? {
        let input = MergeInput(
            base: base.map { Array($0.utf8) }, ours: Array(ours.utf8), theirs: Array(theirs.utf8))
        let outcomes = [TOMLTextMerge().merge(input), TOMLTextMerge().merge(input.swapped)]
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

    @Test("a table that both sides add at different places is declined")
    func table() {
        let ours = "[new]\nk = 1\n\n" + Self.base
        let theirs = Self.base + "\n[new]\nk = 1\n"
        #expect(merged(Self.base, ours, theirs) == nil)
    }

    @Test("an element that both sides add to an array of tables is merged")
    func array() {
        let ours = "[[new]]\nk = 1\n\n" + Self.base
        let theirs = Self.base + "\n[[new]]\nk = 1\n"
        #expect(merged(Self.base, ours, theirs) == ours + "\n[[new]]\nk = 1\n")
    }

    @Test("what was not TOML before is merged as any text")
    func others() {
        let base = Self.base + "no TOML\n"
        let ours = base.replacing("[a]\n", with: "[a]\nnew = 1\n")
        let theirs = base.replacing("z = 3\n", with: "z = 3\nnew = 2\n")
        #expect(merged(base, ours, theirs)?.contains("new = 2") == true)
    }

    @Test("one side's content is taken as it is, TOML or not")
    func laws() {
        for text in [Self.base, "k = 1\nk = 2\n", "no TOML\n", ""] {
            #expect(merged(Self.base, Self.base, text) == text)
            #expect(merged(Self.base, text, text) == text)
        }
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
