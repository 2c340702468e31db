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
        "a word is suggested when about two thirds of its letters are right",
        arguments: [
            ("strategi", "strategy"), ("on-delet", "on-delete"), ("maxdelete", "max-delete"),
            ("ignore", ""), ("", ""),
        ])
    func suggestion(_ word: String, _ right: String) {
        let words = ["strategy", "on-delete", "gitignore", "max-delete"]
        let found = NearestWord.suggestion(for: word, among: words)
        #expect(found == (right.isEmpty ? "" : "Did you mean '\(right)'? "))
    }
}
