import FilesinkiCommands
import FilesinkiTesting
import Glibc
import Testing

/// Command lines with their answers, as a test writes them down:
///
///     $ kv set n 5 --type int --root a
///     $ kv get nope --root a
///     ! filesinki: nope: The key has no value here. Set it with kv set, or give a --default.
///     = 1
///
/// `$` begins a command line, in which quotes `'…'` hold a word together, and ` < TEXT` at the end is standard input. What
/// follows is everything that it prints: standard output, then standard error behind `! `, then `= ` and
/// the exit code unless it is 0. `…` is any text, `⇥` a tab, `␀` a NUL byte, `¬` a last line without its end, `WORLD` the
/// world's folder. `// ` begins a comment. `TOKEN`, `TAG` and `CURSOR` in a command line are the last ones that an
/// answer had. Lines that are no command: `write FILE TEXT`, `show FILE`, `names FOLDER`, `move OLD NEW`, `remove FILE`,
/// `store FOLDER`, which makes a store, `enter FOLDER`, and `call METHOD {…}`, which asks `filesinki rpc` of the replica `a`.
struct Dialogue {
    struct Step {
        var line: String
        var answer: [String]
    }

    let steps: [Step]

    init(_ text: String) {
        var steps: [Step] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("$ ") {
                steps.append(Step(line: String(line.dropFirst(2)), answer: []))
            } else if !line.hasPrefix("// "), !steps.isEmpty {
                steps[steps.count - 1].answer.append(String(line))
            }
        }
        self.steps = steps
    }

    /// The words of a command line.
    static func words(_ line: some StringProtocol) -> [String] {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        for character in line {
            if character == "'" {
                isQuoted.toggle()
                word = word ?? ""
            } else if character == " ", !isQuoted {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }

    /// Whether a line is as it was written down.
    static func matches(_ line: String, _ pattern: String) -> Bool {
        let parts = pattern.split(separator: "…", omittingEmptySubsequences: false)
        guard parts.count > 1, let first = parts.first, let last = parts.last else {
            return line == pattern
        }
        guard line.hasPrefix(first) else { return false }
        var rest = line.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last)
    }

    /// The lines of what was printed.
    static func lines(_ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if let last = lines.popLast(), !last.isEmpty { lines.append(last + "¬") }
        return lines
    }
}

extension World {
    /// Runs the commands of a dialogue, one after the other, and expects its answers.
    func follow(
        _ dialogue: String, _ sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var known: [String: String] = [:]
        for step in Dialogue(dialogue).steps {
            let said = try await answer(to: step.line, &known).map { line in
                line.replacing(folder, with: "WORLD").replacing("\t", with: "⇥")
                    .replacing("\0", with: "␀")
            }
            let isSame =
                said.count == step.answer.count
                && zip(said, step.answer).allSatisfy { Dialogue.matches($0, $1) }
            #expect(
                isSame, "$ \(step.line)\n\(said.joined(separator: "\n"))",
                sourceLocation: sourceLocation)
        }
    }

    private func answer(
        to line: String, _ known: inout [String: String]
    ) async throws -> [String] {
        let words = Dialogue.words(line)
        if let lines = try await own(words) { return lines }
        var command = line.replacing("WORLD", with: folder)
        for (name, value) in known { command = command.replacing(name, with: value) }
        if words.first == "call" {
            let answer = try await called(command.split(separator: " ", maxSplits: 2))
            Self.remember(&known, of: answer)
            return [answer]
        }
        let parts = command.split(separator: " < ", maxSplits: 1)
        let input = parts.count == 2 ? Array(Self.unescaped(parts[1]).utf8) : nil
        let outcome = try await run(
            bytes: Dialogue.words(parts[0]).map { Array($0.utf8) }, input: input)
        Self.remember(&known, of: outcome.text)
        let code = outcome.code == .done ? [] : ["= \(outcome.code.rawValue)"]
        return Dialogue.lines(outcome.text) + Dialogue.lines(outcome.talk).map { "! " + $0 } + code
    }

    /// The answer of `filesinki rpc` in the replica `a`, without what all answers begin and end with.
    private func called(_ words: [Substring]) async throws -> String {
        let answer = try await call(String(words[1]), words.count > 2 ? String(words[2]) : "{}")
        let start = #"{"jsonrpc":"2.0","id":1,"#
        return answer.hasPrefix(start) ? String(answer.dropFirst(start.count).dropLast()) : answer
    }

    private static func remember(_ known: inout [String: String], of text: String) {
        for name in ["token", "tag", "cursor"] {
            let found = text.split(separator: "\"\(name)\":\"").dropFirst().last
            if let value = found?.split(separator: "\"").first {
                known[name.uppercased()] = String(value)
            }
        }
    }

    /// What the test itself does; nil for a command of the program.
    private func own(_ words: [String]) async throws -> [String]? {
        switch words.first {
        case "write":
            try write(Self.unescaped(words.dropFirst(2).joined(separator: " ")), to: words[1])
        case "show" where words.count == 2:
            return readText(words[1]).map(Dialogue.lines) ?? ["(none)"]
        case "names": return [names(in: words[1]).joined(separator: " ")]
        case "move": rename(words[1], to: words[2])
        case "remove": removeTree(Array((folder + "/" + words[1]).utf8))
        case "store": try await makeStore(words[1])
        case "enter": currentFolder = folder + "/" + words[1]
        default: return nil
        }
        return []
    }

    private static func unescaped(_ text: some StringProtocol) -> String {
        String(text).replacing("\\n", with: "\n").replacing("\\t", with: "\t")
    }
}
