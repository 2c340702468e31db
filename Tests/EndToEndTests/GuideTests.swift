import Foundation
import Testing

/// A part of a guide that a reader can run: `sh run`, and `text output` for what it prints.
private struct Recipe {
    var line: Int
    var script: String
    /// Nil where the guide does not show it.
    var output: String?
}

/// A document of `Docs/Guide`.
private struct Guide {
    let recipes: [Recipe]

    init(_ text: String) {
        var recipes: [Recipe] = []
        for block in MarkdownBlock.all(in: text) {
            switch block.info {
            case "sh run": recipes.append(Recipe(line: block.line, script: block.text))
            case "text output" where !recipes.isEmpty:
                recipes[recipes.count - 1].output = block.text
            default: break
            }
        }
        self.recipes = recipes
    }
}

@Suite("The guides", .onOwnThreads)
struct GuideTests {
    private static let folder = Machine.package + "/Docs/Guide"

    private static let names: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        .filter { $0.hasSuffix(".md") }.sorted()

    @Test("each recipe of a guide prints the output that the guide shows", arguments: names)
    func runs(_ name: String) throws {
        let text = try String(contentsOfFile: Self.folder + "/" + name, encoding: .utf8)
        let recipes = Guide(text).recipes
        guard !recipes.isEmpty else { return }
        let machine = try Machine()
        // One shell for the whole document, so that a later recipe builds upon an earlier one.
        let mark = "@@@ next recipe"
        let script = recipes.map { "echo '\(mark)'\n" + $0.script }.joined()
        try machine.write(script, to: "guide.sh")
        let run = try machine.shell(
            """
            mkdir bin home work; ln -s "$FILESINKI" bin/filesinki; PATH="$PWD/bin:$PATH"
            cd work && exec bash -e ../guide.sh 2>&1
            """)
        #expect(run.code == 0, "\(name): \(run.output)")
        let outputs = run.output.components(separatedBy: mark + "\n").dropFirst()
        #expect(outputs.count == recipes.count, "\(name): \(run.output)")
        for (recipe, output) in zip(recipes, outputs) {
            guard let expected = recipe.output else { continue }
            #expect(
                Self.matches(output, expected),
                "\(name), line \(recipe.line), printed:\n\(output)and not:\n\(expected)")
        }
    }

    /// Whether each line is the expected one, in which `…` stands for anything.
    private static func matches(_ output: String, _ expected: String) -> Bool {
        let lines = output.components(separatedBy: "\n")
        let wanted = expected.components(separatedBy: "\n")
        return lines.count == wanted.count
            && zip(lines, wanted).allSatisfy { line, pattern in
                let parts = pattern.components(separatedBy: "…")
                    .map(NSRegularExpression.escapedPattern)
                return line.range(
                    of: "^" + parts.joined(separator: ".*") + "$", options: .regularExpression)
                    != nil
            }
    }

    @Test func `every guide except those with tests of their own has a recipe`() {
        #expect(Set(Self.names).isSuperset(of: ["cron.md", "scripts.md", "first-sync.md"]))
    }
}
