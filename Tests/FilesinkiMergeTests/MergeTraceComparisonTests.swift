import Testing

@testable import FilesinkiMerge

@Suite("What a trace tells of two versions")
struct MergeTraceComparisonTests {
    /// The differences as `PLACE REASON`.
    private func differences(
        _ merge: any ContentMerge, _ old: [UInt8], _ new: [UInt8]
    ) -> [String] {
        let trace = MergeTrace(isComparison: true)
        let input = MergeInput(base: old, ours: new, theirs: old, trace: trace)
        if case .declined(let conflicts) = merge.merge(input) { trace.add(conflicts) }
        return Self.words(trace)
    }

    private func differences(
        _ merge: any ContentMerge, _ old: String, _ new: String
    ) -> [String] {
        differences(merge, Array(old.utf8), Array(new.utf8))
    }

    private static func words(_ trace: MergeTrace) -> [String] {
        trace.differences.map { "\($0.place) \($0.reason.word)" }
    }

    @Test("JSON: the members that differ, also in an object that only one version changed")
    func json() {
        let found = differences(
            JSONMerge(), #"{"a": 1, "b": {"c": 1, "d": 2}, "old": 0, "l": [1, 2]}"#,
            #"{"a": 1, "b": {"c": 9, "d": 2}, "l": [1, 2, 3], "new": true}"#)
        #expect(found.sorted() == ["/b/c edited", "/l/2 added", "/new added", "/old removed"])
        #expect(differences(JSONMerge(), #"{"a": 1}"#, #"[1]"#) == [" edited"])
        #expect(differences(JSONMerge(), #"{"a": 1}"#, #"{ "a": 1 }"#) == [])
    }

    @Test("YAML: the members that differ")
    func yaml() {
        let found = differences(
            TreeMerge(format: YAMLFormat()), "a:\n  b: 1\n  c: 2\nd: 3\n",
            "a:\n  b: 9\n  c: 2\ne: 4\n")
        #expect(found.sorted() == ["/a/b edited", "/d removed", "/e added"])
    }

    @Test("tables: the fields and rows that differ")
    func tables() {
        #expect(
            Set(
                differences(
                    CSVMerge(), "id,n,m\n1,a,b\n2,c,d\n4,g,h\n", "id,n,m\n1,x,b\n4,g,h\n5,i,j\n"))
                == ["row 1, column n edited", "row 2 removed", "row 5 added"])
    }

    @Test("text: the lines that differ")
    func text() {
        #expect(differences(TextMerge(), "a\nb\nc\n", "a\nx\nc\n") == ["line 2 edited"])
    }

    @Test("databases: rows, cells with both values, and declarations", arguments: [false, true])
    func databases(_ isTurned: Bool) throws {
        let folder = DatabaseFolder()
        let old = folder.database(
            """
            CREATE TABLE p(id INTEGER PRIMARY KEY, n TEXT, c INT);
            INSERT INTO p VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3);
            CREATE TABLE w(v TEXT); INSERT INTO w VALUES ('one'), ('two');
            """)
        let new = folder.database(
            """
            UPDATE p SET n = 'x' WHERE id = 1; DELETE FROM p WHERE id = 2;
            INSERT INTO p VALUES (4, 'd', 4); DELETE FROM w WHERE v = 'two';
            """, from: old)
        let (from, to) = isTurned ? (new, old) : (old, new)
        let trace = MergeTrace(isComparison: true)
        let outcome = try SQLiteMerge(trace: trace).merge(
            base: from, ours: to, theirs: from, into: folder.freePath())
        #expect(outcome == .merged)
        let (more, less) = isTurned ? ("removed", "added") : ("added", "removed")
        #expect(
            Self.words(trace).sorted() == [
                "table p, key 1, column n edited", "table p, key 2 \(less)",
                "table p, key 4 \(more)", "table w, row ('two') \(less)",
            ])
        let cell = trace.differences.first { $0.cell?.column == "n" }?.cell
        #expect(cell?.base == (isTurned ? "'x'" : "'a'"))
        #expect(cell?.ours == (isTurned ? "'a'" : "'x'"))
        #expect(cell?.theirs == nil)
    }

    @Test("databases: tables and indices that differ, and the number of the application")
    func declarations() throws {
        let folder = DatabaseFolder()
        let old = folder.database(
            """
            CREATE TABLE p(id INTEGER PRIMARY KEY, n TEXT);
            CREATE TABLE gone(id INTEGER PRIMARY KEY);
            INSERT INTO gone VALUES (1);
            """)
        let new = folder.database(
            """
            ALTER TABLE p ADD COLUMN m; CREATE INDEX i ON p(n); DROP TABLE gone;
            CREATE TABLE fresh(id INTEGER PRIMARY KEY); PRAGMA user_version = 7;
            """, from: old)
        let trace = MergeTrace(isComparison: true)
        _ = try SQLiteMerge(trace: trace).merge(
            base: old, ours: new, theirs: old, into: folder.freePath())
        #expect(
            Self.words(trace) == [
                "index i added", "table fresh added", "table gone removed", "table p edited",
                "user_version edited",
            ])
    }

    @Test("documents: the parts that differ, and the blocks of a text")
    func documents() throws {
        let old = try ODFSample.text(["a", "b", "c"]).bytes()
        let new = try ODFSample.text(["A", "b"]).saved(2).bytes()
        let found = Set(differences(ArchiveMerge(kind: .odf), old, new))
        #expect(
            found.isSuperset(of: [
                "meta.xml edited", "content.xml, office:body/office:text, block 1 edited",
                "content.xml, office:body/office:text, block 3 removed",
            ]), "\(found)")
    }

    @Test("what cannot be merged is a difference; without a place, it is said why")
    func declined() {
        let trace = MergeTrace(isComparison: true)
        trace.add("", .ours, .copied)
        trace.add([MergeConflict("table t", "One."), MergeConflict("", "Two.")])
        #expect(
            trace.differences == [
                MergeTrace.Step("table t", .ours, .edited),
                MergeTrace.Step("", .none, .conflict("Two.")),
            ])
    }
}
