import FilesinkiModel
import Glibc
import Testing

@testable import FilesinkiMerge

/// `git merge-file` itself says what is right.
///
/// `FILESINKI_MERGE_CASES` and `FILESINKI_MERGE_SEED` make a run longer or another;
/// `FILESINKI_MERGE_TRIPLES` names a folder that `Scripts/cut-triples.py` filled.
@Suite struct TextOracleTests {
    @Test func `merges, declines and marks as git on generated texts`() throws {
        let git = try GitMergeFile()
        let seed = try MergeKnob.seed.value() ?? 1
        var triples = TextTriples(seed: UInt64(clamping: seed))
        var cleanCount = 0
        for number in 0..<(try MergeKnob.cases.value() ?? 1000) {
            let input = number % 250 == 249 ? triples.nextLarge() : triples.next()
            if try isClean(input, git, "seed \(seed), triple \(number)") { cleanCount += 1 }
        }
        #expect(cleanCount > 0)
    }

    @Test(.enabled(if: getenv("FILESINKI_MERGE_TRIPLES") != nil))
    func `merges, declines and marks as git on real histories`() throws {
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
