import FilesinkiEngine
import FilesinkiMerge
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Testing

/// Three files merged by a strategy, as `filesinki merge` does.
@Suite struct FileMergeTests {
    private func merge(
        _ base: String, _ ours: String, _ theirs: String, _ strategy: String
    ) async throws -> (MergeCheck, String?) {
        let folder = try TemporaryFolder()
        let tree: TreeFixture = [
            "base": .file(base), "ours": .file(ours, modified: Timestamp(nanoseconds: 1)),
            "theirs": .file(theirs, modified: Timestamp(nanoseconds: 2)),
        ]
        try tree.write(to: folder.path("in"))
        let merge = FileMerge(
            base: folder.path("in/base"), ours: folder.path("in/ours"),
            theirs: folder.path("in/theirs"), path: try RelativePath("x.txt"),
            strategy: try Strategy(parsing: strategy), settings: MergeSettings(),
            commandLimit: .seconds(60))
        let outputs = try MergeOutputs(inside: folder.path("in"))
        let check = try await MergeCheck(merge, keepingIn: outputs)
        guard case .merged(let file, _, _) = check.result else { return (check, nil) }
        let slash = file.lastIndex(of: "/") ?? file.startIndex
        let found = try TreeFixture.read(String(file[..<slash]))
        let name = TreeFixture.Name(Array(file[file.index(after: slash)...].utf8))
        guard case .bytes(let bytes, _, _)? = found[name] else { return (check, nil) }
        return (check, String(decoding: bytes, as: UTF8.self))
    }

    @Test(
        "a merge keeps what each side changed; only an empty base is none",
        arguments: [
            ("1", "1", "2", "2"), ("1", "2", "1", "2"), ("", "1", "2", nil),
            ("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"), ("a\n", "b\n", "c\n", nil),
        ] as [(String, String, String, String?)])
    func text(_ base: String, _ ours: String, _ theirs: String, _ merged: String?) async throws {
        let (check, text) = try await merge(base, ours, theirs, "auto")
        #expect(text == merged)
        #expect(check.isSymmetric && check.isIdempotent)
    }

    @Test func `a choice is the same from both sides`() async throws {
        let (newest, text) = try await merge("", "older", "newer", "newest")
        #expect(text == "newer")
        #expect(newest.isSymmetric)
        let (ours, first) = try await merge("", "one", "two", "here")
        #expect(first == "one")
        #expect(!ours.isSymmetric)
    }

    @Test func `a command that adds something each time is not idempotent`() async throws {
        let (check, text) = try await merge("", "one", "two", "exec:cat %B >>%A")
        #expect(text == "onetwo")
        #expect(!check.isSymmetric && !check.isIdempotent)
    }
}
