import Testing

@testable import FilesinkiText

@Suite struct NearestWordTests {
    @Test("E7.7 edit distance counts insertions, removals, replacements and swaps")
    func distances() {
        let pairs = [
            ("sync", "sync", 0), ("syncc", "sync", 1), ("snyc", "sync", 1), ("", "ls", 2),
            ("bogus", "log", 3), ("observ", "observe", 1), ("ca", "abc", 3),
        ]
        for (left, right, distance) in pairs {
            #expect(NearestWord.distance(left, right) == distance, "\(left) \(right)")
            #expect(NearestWord.distance(right, left) == distance, "\(left) \(right)")
        }
    }

    @Test(
        "a word is suggested when at most a third of its letters is wrong",
        arguments: [
            ("strategi", "strategy"), ("on-delet", "on-delete"), ("maxdelete", "max-delete"),
            ("ignore", ""), ("delete", ""), ("", ""),
        ])
    func suggestion(_ word: String, _ right: String) {
        let words = ["strategy", "on-delete", "gitignore", "max-delete"]
        let found = NearestWord.suggestion(for: word, among: words)
        #expect(found == (right.isEmpty ? "" : "Did you mean '\(right)'? "))
    }

    @Test(
        "only a near miss is suggested: one letter of three, two of six and more",
        arguments: [
            ("lod", "load", true), ("kye", "key", true), ("gett", "get", true),
            ("undelte", "delete", false), ("delete", "undelete", true), ("all", "at", false),
            ("ll", "ls", false), ("maximun-delete", "maximum-deletes", true),
            ("maximum-del", "maximum-deletes", false),
        ])
    func nearMiss(_ word: String, _ other: String, _ isNear: Bool) {
        #expect(NearestWord.nearest(to: word, among: [other]) == (isNear ? other : nil))
    }
}
