import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText
import Testing

@testable import FilesinkiRules

@Suite struct SettingsDocumentTests {
    private func file(
        _ text: String, _ source: RuleSource = .synced
    ) throws(Failure) -> SettingsDocument {
        try SettingsDocument(Array(text.utf8), file: "f.toml", source: source)
    }

    private func text(_ file: SettingsDocument) -> String {
        String(decoding: file.bytes, as: UTF8.self)
    }

    @Test(
        "words of a command line become values of the right type",
        arguments: [
            ("strategy", "newest, keep-both", "strategy = \"newest, keep-both\"\n"),
            ("on-delete", "ask", "on-delete = \"ask\"\n"),
            ("gitignore", "true", "gitignore = true\n"),
            ("max-delete", "100", "max-delete = 100\n"),
            ("max-delete", "30%", "max-delete = \"30%\"\n"),
        ])
    func types(_ key: String, _ value: String, _ expected: String) throws {
        var file = try file("")
        try file.set([key], to: value)
        #expect(text(file) == expected)
        #expect(file.mistakes.isEmpty)
    }

    @Test func `the rules of a prune are set in a table of their own`() throws {
        var file = try file("gitignore = true\n")
        try file.set(["prune", "keep-last"], to: "10")
        try file.set(["prune", "keep-within"], to: "30d")
        #expect(
            text(file) == """
                gitignore = true

                [prune]
                keep-last = 10
                keep-within = "30d"

                """)
        #expect(file.mistakes.isEmpty)
        #expect(try file.entries(of: ["prune"]).count == 2)
        #expect(try file.unset(["prune", "keep-last"]))
        #expect(try !file.unset(["prune", "keep-daily"]))
        #expect(throws: Failure.self) { try file.unset(["prune", "keep-day"]) }
    }

    @Test(
        "what the reader rejects changes nothing, and the message is the reader's",
        arguments: [
            ("strategi", "newest", "Unknown key: 'strategi'.", "Did you mean 'strategy'? "),
            ("a.b", "1", "Unknown key: 'a.b'.", "Use strategy"),
            ("exclude", "x", "Unknown key: 'exclude'.", "What is not synced is listed in"),
            ("keep-last", "2", "Unknown key: 'keep-last'.", "Use prune.keep-last."),
            ("strategy", "newst", "Unknown strategy link: 'newst'.", "Use links"),
            ("on-delete", "no", "Invalid value of on-delete: 'no'.", "Use keep"),
            ("gitignore", "yes", "The value of 'gitignore' is a string.", "Write true or false."),
            ("max-delete", "-1", "Invalid limit of deletions: '-1'.", "Write a number"),
            ("rule.1.match", "*", "Rules can be shown, but not changed", "Change [[rule]]"),
            (
                "prune.keep-lst", "1", "Unknown key: 'prune.keep-lst'.",
                "Did you mean 'prune.keep-last'? "
            ),
            (
                "prune.keep-days", "3", "Unknown key: 'prune.keep-days'.",
                "Use prune.keep-last, prune.keep-within, prune.keep-hourly, "
            ),
            ("prune.keep-last", "0", "Invalid value of keep-last: '0'.", "Write a number from 1"),
            ("prune.keep-within", "30", "Invalid value of keep-within: '30'.", "Write a time such"),
            ("rule", "*", "Rules can be shown, but not changed", "Change [[rule]]"),
        ])
    func rejected(_ key: String, _ value: String, _ message: String, _ remedy: String) throws {
        let before = "# c\nmax-delete = 5\n[[rule]]\nmatch = 'a'\n"
        var file = try file(before)
        let parts = try #require(TOMLReader.key(key))
        let failure = #expect(throws: Failure.self) { try file.set(parts, to: value) }
        #expect(failure?.code == .usage)
        #expect(failure?.path == Array("f.toml".utf8))
        #expect(failure?.message.hasPrefix(message) == true, "\(failure?.message ?? "")")
        #expect(failure?.remedy.hasPrefix(remedy) == true, "\(failure?.remedy ?? "")")
        #expect(text(file) == before)
    }

    @Test func `only a device's own file takes a command`() throws {
        var synced = try file("")
        let failure = #expect(throws: Failure.self) {
            try synced.set(["strategy"], to: "exec:cat %B")
        }
        #expect(failure?.code == .notAllowed)
        var device = try file("", .device)
        try device.set(["strategy"], to: "exec:cat %B")
        #expect(text(device) == "strategy = \"exec:cat %B\"\n")
    }

    @Test func `a mistake elsewhere does not hinder, one of the same key does`() throws {
        var file = try file("colour = 'red'\nstrategy = 'newest'\nstrategy = 'oldest'\n")
        try file.set(["gitignore"], to: "true")
        #expect(text(file).hasSuffix("strategy = 'oldest'\ngitignore = true\n"))
        let failure = #expect(throws: Failure.self) { try file.set(["strategy"], to: "here") }
        #expect(failure?.message == "Duplicate key: 'strategy'.")
        #expect(file.mistakes.map(\.message).first == "Line 1: Unknown key: 'colour'.")
    }

    @Test func `unset removes all of a key, also one that is unknown`() throws {
        var file = try file("colour = 'red'\nstrategy = 'newest'\nstrategy = 'oldest'\n")
        #expect(try file.unset(["strategy"]))
        #expect(try file.unset(["colour"]))
        #expect(file.bytes.isEmpty)
        #expect(try !file.unset(["strategy"]))
        #expect(throws: Failure.self) { try file.unset(["colour"]) }
        #expect(throws: Failure.self) { try file.unset(["rule", "1", "match"]) }
    }

    @Test func `the settings of a rule are found by its number`() throws {
        let file = try file(
            """
            [[rule]]
            match = "a"
            [[rule]]
            match = "b"
            fields."/n" = "sum"
            on-delete = "often"
            """)
        #expect(try file.entries(of: ["rule", "1"]).map(\.value) == [.string("a")])
        #expect(
            try file.entries(of: ["rule", "2", "fields", "/n"]).map(\.value) == [.string("sum")])
        #expect(try file.entries(of: ["rule", "3"]).isEmpty)
        #expect(try file.entries(of: ["strategy"]).isEmpty)
        let failure = #expect(throws: Failure.self) { try file.entries(of: ["rule"]) }
        #expect(failure?.message == "Line 6: Invalid value of on-delete: 'often'.")
        #expect(throws: Failure.self) { try file.entries(of: ["strategi"]) }
    }

    @Test func `a file that is not TOML is neither shown nor changed`() throws {
        let failure = #expect(throws: Failure.self) { try file("strategy = 'newest'\nno") }
        #expect(failure?.message.hasPrefix("Line 2: ") == true)
        var large = try file("# " + String(repeating: "x", count: (1 << 20) - 4) + "\n")
        #expect(throws: Failure.self) { try large.set(["gitignore"], to: "true") }
        #expect(large.bytes.count < 1 << 20)
    }

    @Test func `each default is a value that the reader accepts, and the one of a run`() throws {
        let written = SettingKey.allCases.map { key in
            "\(key.rawValue) = \(TOMLWriter.value(key.standard) ?? "")\n"
        }
        let file = RulesLoad.DeviceFile(path: "/c", bytes: Array(written.joined().utf8))
        let load = RulesLoad(synced: nil, device: [file])
        #expect(load.problems.isEmpty)
        let none = RulesLoad(synced: nil).rules
        let path = try RelativePath("a")
        #expect(load.rules.strategy(for: path) == none.strategy(for: path))
        #expect(load.rules.onDelete(for: path) == none.onDelete(for: path))
        #expect(load.rules.gitignore == none.gitignore)
        #expect(load.rules.maxDelete == .standard)
        #expect(load.rules.bandwidth == none.bandwidth)
    }
}
