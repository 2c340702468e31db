import Foundation
import Glibc

/// A terminal in which a machine's shell runs: tmux, without anything to see it.
final class Screen {
    private let machine: Machine
    private let columns: Int

    static let isThere = access("/usr/bin/tmux", X_OK) == 0

    init(_ machine: Machine, columns: Int) throws {
        self.machine = machine
        self.columns = columns
        try machine.write("filesinki() { \"$FILESINKI\" \"$@\"; }\n", to: "shell.rc")
        try tmux(
            """
            new-session -d -s s -x \(columns) -y 20 \
            'PS1="$ " ENV="$PWD/shell.rc" exec /bin/sh'
            """)
        // What is typed before the shell is ready would be echoed twice.
        _ = try text { $0 == "$\n" }
    }

    deinit { try? tmux("kill-server") }

    func type(_ line: String) throws {
        let quoted = line.replacingOccurrences(of: "'", with: "'\\''")
        try tmux("send-keys -t s -l '\(quoted)'; " + tmuxWord + " send-keys -t s Enter")
    }

    func press(_ key: String) throws { try tmux("send-keys -t s \(key)") }

    func resize(to columns: Int) throws { try tmux("resize-window -t s -x \(columns) -y 20") }

    /// What is to be seen, once it is what is waited for; after a minute what is there then.
    func text(when isReady: (String) -> Bool) throws -> String {
        var text = ""
        for _ in 0..<600 {
            text = try visible()
            if isReady(text) { break }
            usleep(100_000)
        }
        return text
    }

    /// What is to be seen, without the empty lines at the end.
    private func visible() throws -> String {
        let shown = try machine.shell("\(tmuxWord) capture-pane -p -t s").output
        let lines = shown.components(separatedBy: "\n")
        return lines.reversed().drop { $0.isEmpty }.reversed().joined(separator: "\n") + "\n"
    }

    private var tmuxWord: String { "tmux -f /dev/null -S \"$PWD/tmux\"" }

    private func tmux(_ words: String) throws {
        let run = try machine.shell("\(tmuxWord) \(words)")
        guard run.code == 0 else { throw ScreenError.noTerminal(run.talk) }
    }
}

/// Why there is no screen.
enum ScreenError: Error {
    case noTerminal(String)
}
