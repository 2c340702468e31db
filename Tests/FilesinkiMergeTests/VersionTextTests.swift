import Testing

@testable import FilesinkiMerge

@Suite struct VersionTextTests {
    /// The examples of Semantic Versioning 2.0.0, section 11, and what programs write besides.
    @Test(
        "versions are newer from left to right",
        arguments: [
            ["1.0.0", "2.0.0", "2.1.0", "2.1.1"],
            [
                "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
                "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0",
            ],
            ["1", "1.0.1", "1.9", "1.10", "2"], ["v1.9.0", "v1.10.0"], ["^1.9.0", "^1.10.0"],
            ["1.0.0.1", "1.0.0.2"], ["1.99999999999999999999", "1.100000000000000000000"],
            [">= 1.2", ">= 1.3"], ["1.0.0+z", "1.0.1+a"],
        ])
    func order(_ texts: [String]) {
        for (index, one) in texts.enumerated() {
            for (place, other) in texts.enumerated() where place != index {
                #expect(
                    VersionText.isNewer(one.utf8, other.utf8) == (index > place), "\(one) \(other)")
            }
        }
    }

    @Test(
        "neither is newer",
        arguments: [
            ("1.0", "1.0.0"), ("1.0.0+a", "1.0.0+b"), ("^1.0", "~1.1"), ("1.0", "v1.1"),
            ("1.0", "latest"), ("1.0", ""), ("1.0", "1..1"), ("1.0", "2.0-"), ("1.0", "2 || 3"),
            ("1.0", "1.2.3.4.5"), ("1.0", "1.x"), ("<1.0", "<2.0"), ("1.0", "2.0+"),
        ])
    func neither(_ one: String, _ other: String) {
        #expect(VersionText.isNewer(one.utf8, other.utf8) == nil)
        #expect(VersionText.isNewer(other.utf8, one.utf8) == nil)
    }
}
