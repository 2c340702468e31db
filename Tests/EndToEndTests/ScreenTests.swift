import Foundation
import Testing

@Suite("Output on a terminal", .onOwnThreads, .enabled(if: Screen.isThere, "tmux is not installed"))
struct ScreenTests {
    @Test("a run prints its summary", arguments: [80, 200])
    func output(_ columns: Int) throws {
        let machine = try Machine.pair("echo one >a/one; echo two >a/two")
        let long = String(repeating: "a long name ", count: 9)
        _ = try machine.shell(
            "echo 1 >a/one; rm a/two; mkdir a/new; echo 3 >'a/new/\(long).txt'; echo 4 >b/four")
        try machine.sync("b")
        let screen = try Screen(machine, columns: columns)
        try screen.type("filesinki sync a --dry-run; filesinki sync a; filesinki sync a; echo end")
        let text = try screen.text { $0.contains("\nend") }
        try expect(text, "sync-\(columns).screen", machine)
    }

    @Test(
        "a run shows its progress, also after the terminal became narrower", arguments: [80, 200])
    func progress(_ columns: Int) throws {
        let machine = try Machine.pair("echo one >a/one")
        // A hole is read, and takes no room.
        _ = try machine.shell("truncate -s 60G a/big")
        let screen = try Screen(machine, columns: columns)
        try screen.type("filesinki sync a")
        let wide = try screen.text { $0.contains(" left") }
        try expect(Self.masked(wide), "progress-\(columns).screen", machine)
        let line = wide.components(separatedBy: "\n").first { $0.contains(" left") }
        #expect((line?.count ?? 0) < columns)
        try screen.resize(to: 50)
        let narrow = try screen.text { text in
            text.components(separatedBy: "\n").contains {
                $0.contains(" left") && $0.count < 50
            }
        }
        // The wide line is gone, all of it.
        #expect(narrow.components(separatedBy: " left").count == 2, "\(narrow)")
        try screen.press("C-c")
        try screen.type("echo \"exit $?\"")
        let end = try screen.text { $0.contains("\nexit 130") }
        #expect(end.contains("exit 130"))
    }

    @Test func `a short diff stays on the screen, in colour`() throws {
        let machine = try Machine.pair("echo one >a/one")
        _ = try machine.shell("echo 1 >a/one")
        let screen = try Screen(machine, columns: 80)
        try screen.type("LESS= filesinki diff --root a one; echo end")
        let text = try screen.text { $0.contains("\nend") }
        try expect(text, "diff-80.screen", machine)
    }

    /// Numbers and how far the bar is differ from run to run.
    private static func masked(_ text: String) -> String {
        var text = text
        for (pattern, mask) in [
            ("[0-9]+(:[0-9]+)+", "N:NN"), ("[0-9]+(\\.[0-9]+)?", "N"), ("N [kMG]B", "N B"),
            ("\\[#*-*\\]", "[###---]"), ("N of N files, ", ""),
        ] {
            text = text.replacingOccurrences(of: pattern, with: mask, options: .regularExpression)
        }
        return text
    }

    private func expect(_ text: String, _ name: String, _ machine: Machine) throws {
        let place = Machine.package + "/Tests/EndToEndTests/Golden/" + name
        var text = text.replacingOccurrences(of: machine.folder, with: "MACHINE")
        text = text.replacingOccurrences(
            of: "Plan [0-9a-f]{16}", with: "Plan ID", options: .regularExpression)
        if ProcessInfo.processInfo.environment["FILESINKI_GOLDEN"] == "write" {
            try text.write(toFile: place, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOfFile: place, encoding: .utf8) == text, "\(name)")
    }
}
