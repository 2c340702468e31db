import Testing

@testable import FilesinkiMerge

/// filesinki's own settings: no member is lost, and of one value that both changed the committed one stays.
@Suite struct KeptMembersTests {
    private static let rules = "[[rule]]\nmatch = \"*.a\"\nx = \"1\"\n"

    @Test(arguments: [
        ("a = 1\nb = 1\n", "a = 2\nb = 2\n", "a = 3\nb = 1\n", "a = 3\nb = 2\n"),
        ("a = 1\nb = 1\n", "b = 1\n", "a = 3\nb = 1\n", "a = 3\nb = 1\n"),
        ("a = 1\nb = 1\n", "a = 2\nb = 1\n", "b = 1\n", "a = 2\nb = 1\n"),
        ("", "# mine\na = 1\n", "# theirs\na = 2\n", "# theirs\na = 2\n"),
        (
            rules, rules.replacing("1", with: "2"), "k = 1\n" + rules.replacing("1", with: "3"),
            "k = 1\n" + rules.replacing("1", with: "3")
        ),
        (
            "", "k = 1\n" + rules, rules.replacing("1", with: "3"),
            "k = 1\n" + rules.replacing("1", with: "3")
        ),
    ])
    func merged(_ base: String, _ ours: String, _ theirs: String, _ expected: String) {
        #expect(merge(base, ours, theirs) == .merged(Array(expected.utf8)))
    }

    @Test func `tables that cannot be told apart decline, and neither side's are taken`() {
        let base = "[[rule]]\nmatch = \"a\"\nx = 1\n[[rule]]\nmatch = \"a\"\nx = 2\n"
        let ours = "k = 1\n[[rule]]\nmatch = \"a\"\nx = 7\n" + base.replacing("x", with: "y")
        let theirs = base.replacing("x = 1", with: "v = 5").replacing("x = 2", with: "z = 6")
        guard case .declined = merge(base, ours, theirs) else {
            Issue.record("merged")
            return
        }
    }

    private func merge(_ base: String, _ ours: String, _ theirs: String) -> MergeOutcome {
        var settings = MergeSettings()
        settings.fieldChoice = .theirs
        settings.keepsMembers = true
        return TreeMerge(format: TOMLFormat()).merge(
            MergeInput(
                base: base.isEmpty ? nil : Array(base.utf8), ours: Array(ours.utf8),
                theirs: Array(theirs.utf8), settings: settings))
    }
}
