import FilesinkiModel
import FilesinkiReconcile
import Testing

@testable import FilesinkiRules

@Suite struct RuleFileRulesTests {
    @Test(arguments: [
        (".filesinkiignore", false, "lines, leave"), ("d/.filesinkiignore", false, "lines, leave"),
        (".gitignore", true, "lines, leave"), (".gitignore", false, "newest"),
        (".filesinki.toml", false, "toml, leave"), ("d/.filesinki.toml", false, "newest"),
        ("a", true, "newest"),
    ])
    func `files of rules are merged whatever holds for others`(
        _ path: String, _ gitignore: Bool, _ strategy: String
    ) throws {
        let others = UniformRules(Strategy([.choice(.newest)]), onDelete: .delete)
        let rules = RuleFileRules(others, gitignore: gitignore)
        let path = try RelativePath(path)
        #expect(rules.strategy(for: path).description == strategy)
        #expect(rules.onDelete(for: path) == (strategy == "newest" ? .delete : .keep))
    }
}
