import FilesinkiModel
import Testing

@testable import FilesinkiRules

@Suite struct IgnoreFilterTests {
    @Test("reads the syntax as documented:", arguments: IgnoreCase.all)
    func documented(_ row: IgnoreCase) {
        let world = row.world
        for path in row.ignored + row.kept {
            #expect(
                isIgnored(path, in: world)
                    == row.ignored.contains { $0.utf8.elementsEqual(path.utf8) }, "\(path)")
        }
    }

    /// Walks down as a scan does.
    private func isIgnored(_ path: String, in world: IgnoreWorld) -> Bool {
        var filter: any ScanFilter = IgnoreFilter(gitignore: true) { name in
            name == ".gitignore" ? world.rules[[]] : nil
        }
        var names = path.split(separator: "/").map { Array($0.utf8) }
        let last = names.removeLast()
        for name in names {
            if filter.ignores(name[...], isDirectory: true) { return true }
            filter = filter.entering(name[...]) { _ in nil }
        }
        return filter.ignores(last[...], isDirectory: path.hasSuffix("/"))
    }

    private func explain(_ path: String, gitignore: Bool = false, _ files: [String: String]) throws
        -> IgnoreMatch?
    {
        let read = { (path: String) in files[path].map { Array($0.utf8) } }
        return try IgnoreFilter(gitignore: gitignore, read: read)
            .explain(RelativePath(path), isDirectory: false) { read($0.description) }
    }

    @Test func `a deeper file wins over an upper one`() throws {
        let files = [".filesinkiignore": "*.o\n", "d/.filesinkiignore": "\n!*.o\n"]
        #expect(try explain("a.o", files)?.isIgnored == true)
        let match = try #require(try explain("d/a.o", files))
        #expect(!match.isIgnored)
        #expect(match.file?.description == "d/.filesinkiignore")
        #expect(match.line == 2)
        #expect(match.pattern == Array("!*.o".utf8))
    }

    @Test func `an anchored rule is anchored to the folder of its file`() throws {
        let files = ["d/.filesinkiignore": "/a\nx/b\n"]
        #expect(try explain("a", files) == nil)
        #expect(try explain("d/a", files)?.isIgnored == true)
        #expect(try explain("d/x/b", files)?.isIgnored == true)
        #expect(try explain("d/x/a", files) == nil)
    }

    @Test func `.gitignore counts only with its setting`() throws {
        let files = [".gitignore": "a\n"]
        #expect(try explain("a", files) == nil)
        #expect(try explain("a", gitignore: true, files)?.isIgnored == true)
    }

    @Test func `in one folder our own file wins over .gitignore`() throws {
        let files = [".gitignore": "a\n!b\n", ".filesinkiignore": "!a\nb\n"]
        #expect(try explain("a", gitignore: true, files)?.isIgnored == false)
        #expect(try explain("b", gitignore: true, files)?.isIgnored == true)
    }

    @Test func `a deeper .gitignore wins over our own file further up`() throws {
        let files = [".filesinkiignore": "a\n", "d/.gitignore": "!a\n"]
        #expect(try explain("d/a", gitignore: true, files)?.isIgnored == false)
    }

    @Test func `a file in an ignored folder is explained by the folder's rule`() throws {
        let files = [".filesinkiignore": "d\n", "d/.filesinkiignore": "!a\n"]
        let match = try #require(try explain("d/e/a", files))
        #expect(match.isIgnored)
        #expect(match.matched.description == "d")
        #expect(match.file?.description == ".filesinkiignore")
    }

    @Test func `DO-15 a name that ends with .nosync is ignored, at any depth, file or folder`()
        throws
    {
        let match = try #require(try explain("d/a.nosync", [:]))
        #expect(match.isIgnored && match.file == nil)
        #expect(match.pattern == Array("*.nosync".utf8))
        #expect(try explain("a.nosync/inside", [:])?.matched.description == "a.nosync")
        #expect(try explain(".nosync", [:])?.isIgnored == true)
        for path in ["nosync", "a.nosync.txt", "a.NOSYNC", "a.nosynC", "x"] {
            #expect(try explain(path, [:]) == nil, "\(path)")
        }
    }

    @Test func `DO-15 a rule of a file includes a name that ends with .nosync again`() throws {
        let files = [".filesinkiignore": "!*.nosync\n", "d/.filesinkiignore": "b.nosync\n"]
        let match = try #require(try explain("a.nosync", files))
        #expect(!match.isIgnored)
        #expect(match.file?.description == ".filesinkiignore")
        #expect(try explain("d/a.nosync", files)?.isIgnored == false)
        #expect(try explain("d/b.nosync", files)?.isIgnored == true)
        let git = [".gitignore": "!keep.nosync\n"]
        #expect(try explain("keep.nosync", git)?.isIgnored == true)
        #expect(try explain("keep.nosync", gitignore: true, git)?.isIgnored == false)
    }

    @Test(
        "a wildcard spares the files of rules, and a line that names one does not",
        arguments: [
            (
                "*\n!*/\n!*.md\n",
                [".filesinkiignore", "d/.filesinkiignore", ".filesinki.toml", "a.md"],
                ["a", "d/.filesinki.toml"]
            ),
            (".*\n", [".filesinkiignore", ".filesinki.toml"], [".env", "d/.env"]),
            (
                ".filesinkiignore\n*.toml\n.f*\n", [".filesinki.toml"],
                [".filesinkiignore", "d/.filesinkiignore", "a.toml"]
            ),
            (".filesinkiignore\n!.files*\n.f*\n", [".filesinkiignore"], [".file"]),
        ])
    func sparing(_ lines: String, _ kept: [String], _ ignored: [String]) throws {
        let device = [RulesLoad.DeviceFile(path: "/i", bytes: Array(lines.utf8))]
        let words = lines.split(separator: "\n").map(String.init)
        let patterns = try RunPatterns(
            excluded: words.filter { !$0.hasPrefix("!") },
            included: words.filter { $0.hasPrefix("!") }.map { String($0.dropFirst()) })
        for gitignore in [false, true] {
            for (filter, sparesGit) in [
                (IgnoreFilter(gitignore: gitignore, device: device) { _ in nil }, gitignore),
                (IgnoreFilter(gitignore: gitignore, patterns: patterns) { _ in nil }, gitignore),
                (
                    IgnoreFilter(gitignore: gitignore) {
                        $0 == ".filesinkiignore" ? Array(lines.utf8) : nil
                    }, gitignore
                ),
                (
                    IgnoreFilter(gitignore: true) { $0 == ".gitignore" ? Array(lines.utf8) : nil },
                    false
                ),
            ] {
                func isIgnored(_ path: String) throws -> Bool {
                    try filter.explain(RelativePath(path), isDirectory: false) { _ in nil }?
                        .isIgnored ?? false
                }
                // The included patterns of a run come after all excluded ones.
                for path in kept { #expect(try !isIgnored(path), "\(path)") }
                for path in ignored { #expect(try isIgnored(path), "\(path)") }
                guard lines.hasPrefix("*") || lines.hasPrefix(".*") else { continue }
                #expect(try isIgnored(".gitignore") == !sparesGit)
            }
        }
    }

    @Test(
        "a conflict copy is ignored with its file",
        arguments: [
            (".env", ".env (conflict b 19a3b8c3)", true),
            (".env", ".env (conflict a a6f52ede) (conflict b 19a3b8c3)", true),
            (".env\n!.env (*", ".env (conflict a a6f52ede) (conflict b 19a3b8c3)", false),
            ("notes.txt", "notes (conflict b 19a3b8c3).txt", true),
            ("/notes.txt", "d/notes (conflict b 19a3b8c3).txt", false),
            ("d/notes.txt", "d/notes (conflict b 19a3b8c3).txt", true),
            ("notes.txt", "notes (conflict b).txt", false),
            (".env\n!.env (*", ".env (conflict b 19a3b8c3)", false),
            ("*.env\n!keep.env", "keep (conflict b 19a3b8c3).env", false),
            (".env*\n!.env.example", ".env (conflict b 19a3b8c3).example", false),
            ("*(conflict *", "notes (conflict b 19a3b8c3).txt", true),
            ("x.nosync", "y (conflict b 19a3b8c3).nosync", true),
        ])
    func copies(_ lines: String, _ path: String, _ isIgnored: Bool) throws {
        let match = try explain(path, [".filesinkiignore": lines])
        #expect(match?.isIgnored ?? false == isIgnored)
    }

    @Test func `the error of the reader reaches the caller`() {
        let failure = Failure(.io, path: "x", "No.", remedy: "")
        #expect(throws: Failure.self) {
            try IgnoreFilter(gitignore: false) { _ in throw failure }
        }
    }

    @Test(
        "a pathological pattern is matched in time",
        arguments: [
            ("", "**/", 20_000), ("", "*a", 20_000), ("", "**/a/", 2000), ("x/", "a*", 500),
        ])
    func slow(_ start: String, _ part: String, _ count: Int) throws {
        let pattern = start + String(repeating: part, count: count) + "b?"
        let deep = String(repeating: "a/", count: 1000) + "a"
        let wide = "x/" + String(repeating: "a", count: 250)
        let rules = IgnoreRules(Array(pattern.utf8))
        for path in [deep, wide] {
            let bytes = Array(path.utf8)
            #expect(rules.lastMatch(name: bytes.span, path: bytes.span, isDirectory: false) == nil)
        }
    }

    @Test func `a large file of any bytes is read`() {
        var generator = SeededGenerator(state: 7)
        let noise = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let rules = IgnoreRules(noise)
        #expect(!rules.isEmpty)
        _ = rules.lastMatch(name: [0x61].span, path: [0x61].span, isDirectory: false)
    }
}
