import FilesinkiModel
import Testing

@testable import FilesinkiRules

/// Which paths a partial replica holds.
@Suite struct PathChoiceTests {
    private static func choice(_ paths: String...) throws -> PathChoice {
        PathChoice(try paths.map { try RelativePath($0) })
    }

    @Test(
        "chosen paths are held with what is in them, what is above them, and their rules",
        arguments: [
            ("docs", true, false), ("docs/a", true, false), ("docs/a/b", true, false),
            ("docsx", false, false), ("doc", false, false), ("other", false, false),
            // Above a chosen path.
            ("p", true, true), ("p/2024", true, true), ("p/2024/a.jpg", true, false),
            ("p/2024/b.jpg", false, false), ("p/x", false, false),
            // Files of rules.
            (".filesinki.toml", true, false), (".filesinkiignore", true, false),
            (".gitignore", true, false), ("p/.filesinkiignore", true, false),
            ("p/2024/.gitignore", true, false), ("p/.filesinki.toml", false, false),
            ("x/.filesinkiignore", false, false),
            // Conflict copies of a chosen file, and of a file in the place of a folder above it.
            ("p/2024/a (conflict laptop a6f52ede).jpg", true, false),
            ("p/2024/b (conflict laptop a6f52ede).jpg", false, false),
            ("p (conflict laptop a6f52ede)", true, false),
            ("docs (conflict laptop a6f52ede)", true, false),
            // Those of conflict copies.
            ("p/2024/a (conflict laptop a6f52ede) (conflict desk 19a3b8c3).jpg", true, false),
            ("p/2024/b (conflict laptop a6f52ede) (conflict desk 19a3b8c3).jpg", false, false),
        ] as [(String, Bool, Bool)])
    func table(_ path: String, _ isHeld: Bool, _ isAbove: Bool) throws {
        let choice = try Self.choice("docs", "p/2024/a.jpg", "docs/inner")
        let path = try RelativePath(path)
        #expect(choice.holds(path) == isHeld)
        #expect(choice.isAbove(path) == isAbove)
        #expect(choice.contains(path) == (isHeld && !isAbove))
        #expect(choice.paths.map(\.description) == ["docs", "p/2024/a.jpg"])
    }

    @Test func `paths are added and removed, also by a folder above them`() throws {
        let choice = try Self.choice("a", "b/c", "b/d")
        #expect(try choice.adding([RelativePath("b")]) == Self.choice("a", "b"))
        #expect(try choice.removing([RelativePath("b")]) == Self.choice("a"))
        #expect(
            try choice.removing([RelativePath("b/d"), RelativePath("a")]) == Self.choice("b/c"))
    }

    @Test(
        "a removal that means something else is refused",
        arguments: [("x", Failure.Code.notFound), ("a/part", .usage), ("a", .usage)])
    func refused(_ path: String, _ code: Failure.Code) throws {
        let choice = try Self.choice("a")
        let failure = #expect(throws: Failure.self) { try choice.removing([RelativePath(path)]) }
        #expect(failure?.code == code)
        #expect(failure?.path == Array(path.utf8))
    }

    @Test func `the note keeps paths of any bytes, and a damaged one is no choice`() throws {
        let paths = try [[0xFF, 0x0A, 0x20], Array("a b/c%".utf8)].map { try RelativePath($0) }
        for note in [
            PathChoiceNote(nil), PathChoiceNote(PathChoice(paths)),
            PathChoiceNote(PathChoice(paths), isRemoving: true),
        ] {
            #expect(PathChoiceNote(note.bytes) == note)
        }
        for text in ["only", "only %Z", "only ../x", "all", "onlyx a"] {
            #expect(PathChoiceNote(Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test func `the filter leaves out what is not held, and asks the rules of the rest`() throws {
        let rules = IgnoreFilter(gitignore: false) { _ in Array("*.o\n/p/2024/no".utf8) }
        let filter = ChoiceFilter(try Self.choice("docs", "p/2024"), within: rules)
        func ignores(_ path: String, isDirectory: Bool = false) throws -> Bool {
            let path = try RelativePath(path)
            var filter: any ScanFilter = filter
            for folder in path.ancestors.reversed() {
                if filter.ignores(folder.name, isDirectory: true) { return true }
                filter = filter.entering(folder.name) { _ in nil }
            }
            return filter.ignores(path.name, isDirectory: isDirectory)
        }
        for path in ["docs/a", "docs/d/a", "p/2024/a", "p"] {
            #expect(try !ignores(path), "\(path)")
        }
        for path in ["x", "docs/a.o", "p/2024/no", "p/2025/a", "p/f"] {
            #expect(try ignores(path), "\(path)")
        }
    }
}

/// The patterns of one run, and the ignore files of a device.
@Suite struct RunPatternsTests {
    private func isIgnored(
        _ name: String, synced: String = "", device: [String] = [], excluded: [String] = [],
        included: [String] = []
    ) throws -> Bool {
        let filter = try IgnoreFilter(
            gitignore: false,
            device: device.map { RulesLoad.DeviceFile(path: "/d", bytes: Array($0.utf8)) },
            patterns: RunPatterns(excluded: excluded, included: included)
        ) { _ in Array(synced.utf8) }
        return filter.ignores(Array(name.utf8)[...], isDirectory: false)
    }

    @Test func `files of the root override those of the device, and a run overrides all`() throws {
        #expect(try isIgnored("a.o", device: ["*.o"]))
        #expect(try isIgnored("a.o", device: ["!*.o", "*.o"]))
        #expect(try !isIgnored("a.o", device: ["*.o", "!*.o"]))
        // No other device ends a rule of this one.
        #expect(try isIgnored("a.o", synced: "!*.o", device: ["*.o"]))
        #expect(try isIgnored("a.o", synced: "*.o", device: ["!*.o"]))
        #expect(try !isIgnored("a.nosync", synced: "x", device: ["!*.nosync"]))
        #expect(try !isIgnored("a.nosync", device: ["!*.nosync"]))
        #expect(try isIgnored("a.o", synced: "!*.o", excluded: ["*.o"]))
        #expect(try !isIgnored("a.o", synced: "*.o", included: ["*.o"]))
        #expect(try !isIgnored("a.o", excluded: ["*"], included: ["*.o"]))
    }

    @Test func `patterns of a run also apply in folders, by name and by path`() throws {
        let filter = try IgnoreFilter(
            gitignore: false,
            patterns: RunPatterns(excluded: ["*.o", "/d/x"], included: [])
        ) { name in name == IgnoreFilter.fileName ? Array("!*.o\n!x".utf8) : nil }
        let inside = filter.entering(Array("d".utf8)[...]) { _ in Array("!*.o\n!x".utf8) }
        #expect(inside.ignores(Array("a.o".utf8)[...], isDirectory: false))
        #expect(inside.ignores(Array("x".utf8)[...], isDirectory: false))
        #expect(!filter.ignores(Array("x".utf8)[...], isDirectory: false))
    }

    @Test func `a leading # and trailing spaces are part of a pattern`() throws {
        #expect(try isIgnored("#a", excluded: ["#a"]))
        #expect(try isIgnored("a  ", excluded: ["a  "]))
        #expect(try !isIgnored("a", excluded: ["a  "]))
    }

    @Test("invalid patterns are refused", arguments: ["", "!a", "a\nb", "a\u{0}", "[", "/"])
    func invalid(_ pattern: String) {
        #expect(throws: Failure.self) { try RunPatterns(excluded: [pattern], included: []) }
        #expect(throws: Failure.self) { try RunPatterns(excluded: [], included: [pattern]) }
    }
}
