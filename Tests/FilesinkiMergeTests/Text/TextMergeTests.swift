import FilesinkiModel
import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiMerge

@Suite struct TextMergeTests {
    private func input(_ base: String?, _ ours: String, _ theirs: String) -> MergeInput {
        MergeInput(
            base: base.map { Array($0.utf8) }, ours: Array(ours.utf8), theirs: Array(theirs.utf8))
    }

    @Test(arguments: [
        ("a\nb\nc\n", "x\nb\nc\n", "a\nb\ny\n", "x\nb\ny\n"),
        ("a\nb\nc\n", "a\nb\nc\nd\n", "b\nc\n", "b\nc\nd\n"),
        ("a\nb\nc\n", "x\nb\nc\nd\n", "x\nb\nc\n", "x\nb\nc\nd\n"),
        ("a\r\nb\r\nc", "a\r\nb\r\nC", "A\r\nb\r\nc", "A\r\nb\r\nC"),
        ("\u{FEFF}a\nb\nc\n", "\u{FEFF}a\nb\nC\n", "\u{FEFF}A\nb\nc\n", "\u{FEFF}A\nb\nC\n"),
        ("a\nb\n", "", "a\nb\n", ""),
    ])
    func `edits at two places are both applied`(
        _ base: String, _ ours: String, _ theirs: String, _ merged: String
    ) {
        #expect(TextMerge().merge(input(base, ours, theirs)) == .merged(Array(merged.utf8)))
        #expect(TextMerge().merge(input(base, theirs, ours)) == .merged(Array(merged.utf8)))
    }

    @Test func `edits of neighbouring lines are a conflict that names both sides' lines`() {
        let outcome = TextMerge().merge(
            input("1\n2\n3\na\nb\nc\n", "1\n2\n3\nx\nb\nc\n", "3\na\ny\nc\n"))
        let reason =
            "Both sides changed neighbouring lines: lines 4-5 here, lines 2-3 there."
        #expect(outcome == .declined([MergeConflict("line 4", reason)]))
    }

    @Test(
        "a conflict says whether both sides changed one line, or neighbouring ones",
        arguments: [
            ("a\nb\n", "A\nb\n", "a\nB\n", "Both sides changed neighbouring lines: lines 1-2."),
            ("a\nb\n", "A\nb\n", "Z\nb\n", "Both sides changed it."),
            ("a\n", "a\nx\n", "a\ny\n", "Both sides changed it."),
            ("a\nb\n", "A\nB\n", "a\nZ\n", "Both sides changed it."),
            (
                "a\nb\n", "a\nx\nb\n", "a\n",
                "Both sides changed neighbouring lines: lines 2-3 here, no line there."
            ),
        ])
    func neighbours(_ base: String, _ ours: String, _ theirs: String, _ reason: String) {
        let outcome = TextMerge().merge(input(base, ours, theirs))
        guard case .declined(let conflicts) = outcome else {
            Issue.record("It is merged.")
            return
        }
        #expect(conflicts.map(\.reason) == [reason])
    }

    @Test func `two new files agree only if they are equal`() {
        #expect(TextMerge().merge(input(nil, "a\n", "a\n")) == .merged(Array("a\n".utf8)))
        let reason = "There is no common version to merge from"
        for (ours, theirs, line, sides) in [
            ("a\n", "b\n", "line 1", ""),
            ("a\nb\n", "a\n", "line 2", ": line 2 here, no line there"),
        ] {
            #expect(
                TextMerge().merge(input(nil, ours, theirs))
                    == .declined([MergeConflict(line, "\(reason)\(sides).")]))
        }
    }

    @Test(arguments: [0, 7999, 8000])
    func `a zero byte among the first 8000 makes it binary`(_ place: Int) {
        var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 9000)
        bytes[place] = 0
        let outcome = TextMerge().merge(MergeInput(base: [], ours: [], theirs: bytes))
        let refusal = MergeOutcome.declined([MergeConflict("", "The content is not text.")])
        #expect(outcome == (place < 8000 ? refusal : .merged(bytes)))
    }

    @Test func `markers enclose each side's lines, with the line ends around them`() {
        let marked = TextMerge.marked(
            input("a\r\nb\r\n", "a\r\nx", "a\r\ny\r\n"),
            labels: TextMerge.Labels(ours: "laptop", theirs: "phone"))
        let expected =
            "a\r\n<<<<<<< laptop\r\nx\r\n=======\r\ny\r\n>>>>>>> phone\r\n"
        #expect(marked == Array(expected.utf8))
    }

    @Test func `the laws hold for texts without equal lines`() {
        var laws = FuzzTarget.text.laws()
        laws.again = .same
        var dice = Dice(seed: 3)
        for number in 0..<80 {
            let base = (0..<60).map { "line \($0)\n" }
            var ours = base
            var theirs = base
            // Every second line, so that no two edits touch.
            for place in stride(from: 0, to: 60, by: 2) where dice.once(in: 3) {
                if dice.once(in: 2) { ours[place] = "here \(place)\n" } else { theirs[place] = "" }
            }
            let broken = laws.broken(
                by: input(base.joined(), ours.joined(), theirs.joined()))
            #expect(broken.isEmpty, "number \(number): \(ours) \(theirs)")
        }
    }

    @Test func `large texts with nothing in common are one conflict`() {
        func text(_ word: String) -> String {
            (0..<20_000).map { "\(word) \($0)\n" }.joined()
        }
        let outcome = TextMerge().merge(input(text("base"), text("here"), text("there")))
        let reason =
            "Both sides changed it."
        #expect(outcome == .declined([MergeConflict("line 1", reason)]))
    }
}

/// `git merge-file` itself says what is right.
///
/// `FILESINKI_MERGE_CASES` and `FILESINKI_MERGE_SEED` make a run longer or another;
/// `FILESINKI_MERGE_TRIPLES` names a folder that `Scripts/cut-triples.py` filled.
@Suite struct TextOracleTests {
    @Test func `merges, declines and marks as git does on generated texts`() throws {
        let git = try GitMergeFile()
        let seed = knob("FILESINKI_MERGE_SEED", otherwise: 1)
        var triples = TextTriples(seed: UInt64(clamping: seed))
        var cleanCount = 0
        for number in 0..<knob("FILESINKI_MERGE_CASES", otherwise: 400) {
            let input = number % 200 == 199 ? triples.nextLarge() : triples.next()
            if try isClean(input, git, "seed \(seed), triple \(number)") { cleanCount += 1 }
        }
        #expect(cleanCount > 0)
    }

    @Test(.enabled(if: getenv("FILESINKI_MERGE_TRIPLES") != nil))
    func `merges, declines and marks as git does on real histories`() throws {
        let git = try GitMergeFile()
        let folder = try #require(getenv("FILESINKI_MERGE_TRIPLES").map { String(cString: $0) })
        var counts = (clean: 0, all: 0)
        while access("\(folder)/\(counts.all)/base", R_OK) == 0 {
            let triple = "\(folder)/\(counts.all)"
            let input = MergeInput(
                base: try wholeFile("\(triple)/base"), ours: try wholeFile("\(triple)/here"),
                theirs: try wholeFile("\(triple)/there"))
            if try isClean(input, git, triple) { counts.clean += 1 }
            counts.all += 1
        }
        print("\(counts.all) triples, \(counts.clean) of them clean")
        #expect(counts.all > 0)
    }

    private func isClean(_ input: MergeInput, _ git: GitMergeFile, _ title: String) throws -> Bool {
        let answer = try git.answer(to: input)
        let outcome = TextMerge().merge(input)
        switch outcome {
        case .merged(let bytes):
            #expect(
                answer.status == 0 && bytes == answer.text,
                "\(title): status \(answer.status)\n\(describe(input))")
        case .declined(let conflicts):
            #expect(
                min(conflicts.count, 127) == answer.status || answer.status == 255,
                "\(title): \(conflicts), status \(answer.status)\n\(describe(input))")
        }
        let marked = TextMerge.marked(input) ?? []
        #expect(marked == answer.text, "\(title)\n\(describe(input))")
        return answer.status == 0
    }

}
