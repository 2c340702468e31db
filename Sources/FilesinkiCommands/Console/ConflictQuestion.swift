import FilesinkiModel
import FilesinkiReconcile
import Glibc

/// Asks a person at the terminal which side of a conflict wins.
struct ConflictQuestion: Sendable {
    private let console: Console

    /// - Throws: `Failure` with code `usage` when standard input is no terminal: nobody could answer.
    init(_ console: Console) throws(Failure) {
        guard console.terminals.input else {
            throw Failure(
                .usage, path: "--ask", "Standard input is not a terminal.",
                remedy: "Leave --ask out; the conflicts stay open, and filesinki resolve ends them."
            )
        }
        self.console = console
    }

    /// Asks about one path until the answer is understood; the end of input leaves it open.
    func answer(_ conflict: Conflict) -> Resolution.Outcome {
        console.outputOptions.isAsking = true
        defer { console.outputOptions.isAsking = false }
        console.ask("\(conflict.path) was changed on both sides.")
        console.ask("  here   \(describe(conflict.ours))")
        console.ask("  there  \(describe(conflict.theirs))")
        while true {
            console.ask("Keep here, there, both, or leave it open? [h/t/b/l]")
            guard let line = readAnswer() else { return .leave }
            if let answer = Self.answer(line) { return answer }
        }
    }

    private func describe(_ entry: Entry?) -> String {
        guard let entry else { return "deleted" }
        return "\(entry.size) bytes, changed \(TimeText.local(entry.modified))"
    }

    /// What a line means; nil when it is not understood.
    static func answer(_ line: String) -> Resolution.Outcome? {
        switch line.first {
        case "h": .ours
        case "t": .theirs
        case "b": .keepBoth
        case "l": .leave
        default: nil
        }
    }

    private func readAnswer() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(console.input, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }
}
