import FilesinkiMerge
import FilesinkiModel
import FilesinkiReconcile
import Testing

@testable import FilesinkiRules

@Suite struct PathRulesTests {
    private func load(synced: String? = nil, device: String...) -> RulesLoad {
        RulesLoad(
            synced: synced.map { Array($0.utf8) },
            device: device.map { .init(path: "config.toml", bytes: Array($0.utf8)) })
    }

    private func strategy(_ load: RulesLoad, _ path: String) throws -> String {
        load.rules.strategy(for: try RelativePath(path)).description
    }

    @Test func `no file gives the defaults`() throws {
        let load = load()
        #expect(try strategy(load, "a") == "auto, keep-both")
        #expect(load.rules.onDelete(for: try RelativePath("a")) == .keep)
        #expect(!load.rules.gitignore)
        #expect(load.rules.maxDelete == nil)
        #expect(load.problem == nil)
    }

    @Test func `a file has settings for all paths and for some`() throws {
        let load = load(
            synced: """
                strategy = "newest, keep-both"
                on-delete = "ask"
                gitignore = true
                max-delete = "40%"
                [[rule]]
                match = "*.json"
                strategy = "json, keep-both"
                [[rule]]
                match = "/d/"
                on-delete = "delete"
                [[rule]]
                match = "d/**/b.json"
                strategy = "here"
                """)
        #expect(load.problems.isEmpty, "\(load.problems)")
        #expect(try strategy(load, "a") == "newest, keep-both")
        #expect(try strategy(load, "x/a.json") == "json, keep-both")
        #expect(try strategy(load, "d/x/b.json") == "here")
        #expect(load.rules.onDelete(for: try RelativePath("d/x/b.json")) == .delete)
        #expect(load.rules.onDelete(for: try RelativePath("x/d/b")) == .ask)
        #expect(load.rules.gitignore)
        #expect(load.rules.maxDelete == .share(0.4))
    }

    @Test(
        "names of columns are without the blanks around them",
        arguments: ["id,name", "id, name", " id ,\tname "])
    func keyColumns(_ text: String) throws {
        let load = load(synced: "[[rule]]\nmatch = \"*.csv\"\nkey-columns = \"\(text)\"")
        #expect(load.problems.isEmpty, "\(load.problems)")
        #expect(load.rules.merging(for: try RelativePath("a.csv")).keyColumns == ["id", "name"])
        #expect(load.rules.merging(for: try RelativePath("a.txt")).keyColumns == [])
    }

    @Test func `the last matching rule with a value decides`() throws {
        let load = load(
            synced: """
                [[rule]]
                match = "*"
                strategy = "newest"
                [[rule]]
                match = "a*"
                strategy = "oldest"
                [[rule]]
                match = "ab"
                on-delete = "ask"
                """)
        #expect(try strategy(load, "ab") == "oldest")
        #expect(try strategy(load, "b") == "newest")
    }

    @Test func `the type of the last matching rule applies, and this device's first`() throws {
        let load = load(
            synced: """
                [[rule]]
                match = "*.cfg"
                type = "ini"
                [[rule]]
                match = "app.cfg"
                type = "json"
                [[rule]]
                match = "*.list"
                type = "union-lines"
                """, device: "[[rule]]\nmatch = 'words.list'\ntype = 'lines'")
        #expect(load.problems.isEmpty, "\(load.problems)")
        let types = try ["app.cfg", "x.cfg", "d/words.list", "x.list", "x"].map {
            load.rules.merging(for: try RelativePath($0)).format
        }
        #expect(types == [.json, .ini, .lines, .unionLines, nil])
    }

    @Test func `an unknown type is reported with its line and the known ones`() throws {
        let load = load(synced: "[[rule]]\nmatch = '*'\ntype = 'jsn'\nstrategy = 'here'")
        let problem = try #require(load.problems.first)
        #expect(load.problems.count == 1)
        #expect(problem.message == "Line 3: Invalid value: 'jsn'.")
        #expect(problem.remedy.hasPrefix("Did you mean 'json'? Use one of text, lines, "))
        let path = try RelativePath("a")
        #expect(load.rules.merging(for: path).format == nil)
        #expect(load.rules.strategy(for: path).description == "here")
    }

    @Test func `this device's settings win over the synced ones, the later file over the earlier`()
        throws
    {
        let load = load(
            synced:
                "strategy = 'oldest'\ngitignore = true\n[[rule]]\nmatch = 'a'\nstrategy = 'here'",
            device: "[[rule]]\nmatch = 'b'\nstrategy = 'there'\n",
            "[[rule]]\nmatch = 'b*'\nstrategy = 'larger'")
        #expect(try strategy(load, "a") == "here")
        #expect(try strategy(load, "b") == "larger")
        #expect(try strategy(load, "c") == "oldest")
        #expect(load.rules.gitignore)
    }

    @Test(
        "a synced rule never runs a command",
        arguments: ["exec:rm -rf ~", "json, choose:pick, newest"])
    func command(_ chain: String) throws {
        let text = "strategy = '\(chain)'\n[[rule]]\nmatch = 'a'\nstrategy = '\(chain)'\n"
        let synced = load(synced: text)
        #expect(synced.problems.map(\.code) == [.notAllowed, .notAllowed])
        #expect(synced.problem?.message.hasPrefix("Line 1: ") == true)
        #expect(try strategy(synced, "a") == "auto, keep-both")
        #expect(try strategy(synced, "b") == "auto, keep-both")

        let device = load(device: text)
        #expect(device.problems.isEmpty)
        #expect(try strategy(device, "a") == chain)
        #expect(try strategy(device, "b") == chain)
    }

    @Test(
        "a mistake is reported with its line, and the other rules apply",
        arguments: [
            ("strategi = 'newest'", 1), ("strategy = 1", 1), ("\nstrategy = 'newst'", 2),
            ("on-delete = 'no'", 1),
            ("gitignore = 'yes'", 1), ("max-delete = 'many'", 1), ("max-delete = -1", 1),
            ("max-delete = true", 1),
            ("gitignore = true\ngitignore = true", 2), ("[rule]\nmatch = 'a'", 1),
            ("[other]\nx = 1", 1),
            ("[[rule]]\nstrategy = 'newest'", 1), ("\n[[rule]]\nmatch = ''", 3),
            ("[[rule]]\nmatch = '!a'", 2),
            ("[[rule]]\nmatch = '[a'", 2), ("[[rule]]\nmatch = 'a'\ncolour = 'red'", 3),
            ("[[rule]]\nmatch = 'a'\nmatch = 'b'", 3), ("a.b = 1", 1),
            ("[prune]\nkeep-last = 0", 2), ("[prune]\nkeep-lst = 3", 2),
            ("[prune]\nkeep-within = 30", 2), ("[prune]\nkeep-within = '30'", 2),
            ("[prune]\nkeep-daily = '7'", 2), ("prune.keep-last = -1", 1), ("prune = 3", 1),
            ("[prune]\nkeep-last = 1\nkeep-last = 2", 3), ("[[prune]]\nkeep-last = 1", 1),
            ("prune.keep-last = 9\n[prune]\nkeep-last = 1", 3),
        ])
    func mistakes(_ text: String, _ line: Int) throws {
        let load = load(synced: text + "\n[[rule]]\nmatch = 'k'\nstrategy = 'oldest'\n")
        let problem = try #require(load.problem)
        #expect(load.problems.count == 1)
        #expect(problem.code == .usage)
        #expect(problem.path == Array(".filesinki.toml".utf8))
        #expect(problem.message.hasPrefix("Line \(line): "), "\(problem.message)")
        #expect(!problem.remedy.isEmpty)
        #expect(try strategy(load, "k") == "oldest")
    }

    @Test func `a file says what a prune keeps, and a device's file overrides single rules`() throws
    {
        let load = load(
            synced: """
                gitignore = true
                [prune]
                keep-last = 10
                keep-within = "4w"
                keep-hourly = 1
                keep-daily = 7
                keep-weekly = 2
                keep-monthly = 3
                keep-yearly = 4
                keep-versions = 5
                """,
            device: "prune.keep-daily = 30")
        #expect(load.problems.isEmpty, "\(load.problems)")
        #expect(load.pruneProblem == nil)
        #expect(
            load.rules.prune == [
                .keepLast: 10, .keepWithin: 2_419_200, .keepHourly: 1, .keepDaily: 30,
                .keepWeekly: 2, .keepMonthly: 3, .keepYearly: 4, .keepVersions: 5,
            ])
        #expect(load.rules.gitignore)
    }

    @Test(
        "a mistake that may hide a rule of a prune is found, and no other",
        arguments: [
            ("[prune]\nkeep-lst = 10", true), ("[prune]\nkeep-last = 0", true),
            ("[prunes]\nkeep-last = 10", true), ("[[prune]]\nkeep-last = 10", true),
            ("keep-last = 10", true), ("prune.keep-last = 'many'", true),
            ("[[rule]]\nmatch = 'a'\nkeep-last = 10", true), ("not TOML", true),
            ("[prune]\nkeep-last = 1\n[prune]\nkeep-last = 2", true),
            ("strategy = 'newst'", false), ("[[rule]]\nmatch = ''", false),
            ("[[rule]]\nmatch = 'a'\non-delete = 'no'", false), ("max-delete = true", false),
        ])
    func hiddenRule(_ text: String, _ hides: Bool) {
        #expect((load(synced: text).pruneProblem != nil) == hides)
        #expect((load(synced: "", device: text).pruneProblem != nil) == hides)
        #expect(load(synced: text).problem != nil)
    }

    @Test func `an invalid strategy becomes the one that loses nothing`() throws {
        let load = load(
            synced:
                "strategy = 'here'\n[[rule]]\nmatch = 'a'\nstrategy = 'newst'\non-delete = 'delet'")
        #expect(try strategy(load, "a") == "auto, keep-both")
        #expect(load.rules.onDelete(for: try RelativePath("a")) == .keep)
        #expect(load.problems.count == 2)
        #expect(load.problem?.message.hasSuffix(" (1 of 2 mistakes)") == true)
    }

    @Test func `a file that is not TOML has no effect, and the other files have theirs`() throws {
        let load = load(synced: "strategy = 'here'\nthis is not TOML", device: "on-delete = 'ask'")
        #expect(load.problem?.message.hasPrefix("Line 2: ") == true)
        #expect(try strategy(load, "a") == "auto, keep-both")
        #expect(load.rules.onDelete(for: try RelativePath("a")) == .ask)
    }

    @Test(arguments: [
        ("not TOML", true), ("gitignore = 'yes'", true), ("max-delete = true", true),
        ("gitignoer = true", true), ("[x]\ngitignore = true", true),
        ("[prune]\ngitignore = true", true), ("colour = 'red'", false), ("[x]\ny = 1", false),
        ("strategy = 'newst'", false), ("on-delete = 'no'", false), ("keep-last = 10", false),
        ("[[rule]]\nmatch = 'a'\nfields.'/gitignore' = 'no'", false), ("gitignore = true", false),
    ])
    func `a mistake that may turn off protection stops runs, and no other`(
        _ text: String, _ stops: Bool
    ) {
        for load in [load(synced: text), load(synced: "", device: text)] {
            #expect((load.unreadable != nil) == stops)
            #expect(load.gitignore == (stops || text == "gitignore = true"))
        }
    }

    @Test func `a message that quotes another device's text cannot move the cursor`() throws {
        let load = load(synced: "\"\\u001b[2J\" = 1")
        #expect(load.problem?.message == "Line 1: Unknown key: '\\x1b[2J'.")
    }

    @Test(
        "the user's file is in XDG's place",
        arguments: [
            (["XDG_CONFIG_HOME": "/x", "HOME": "/h"], "/x/filesinki/config.toml"),
            (["HOME": "/h"], "/h/.config/filesinki/config.toml"),
            (["XDG_CONFIG_HOME": "x", "HOME": "/h"], "/h/.config/filesinki/config.toml"),
            ([:], nil),
        ] as [([String: String], String?)])
    func userFile(_ environment: [String: String], _ expected: String?) {
        #expect(Settings.userFile { environment[$0] } == expected)
    }
}
