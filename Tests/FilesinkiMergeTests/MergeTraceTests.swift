import Testing

@testable import FilesinkiMerge

@Suite("What a merge tells of its decisions")
struct MergeTraceTests {
    /// The steps as `PLACE FROM REASON`.
    private func steps(
        _ merge: any ContentMerge, _ base: String?, _ ours: String, _ theirs: String,
        _ settings: MergeSettings = .init()
    ) -> [String] {
        let trace = MergeTrace()
        let input = MergeInput(
            base: base.map { Array($0.utf8) }, ours: Array(ours.utf8), theirs: Array(theirs.utf8),
            settings: settings, trace: trace)
        if case .declined(let conflicts) = merge.merge(input) { trace.add(conflicts) }
        return Self.words(trace)
    }

    private static func words(_ trace: MergeTrace) -> [String] {
        trace.steps.map { step in
            let detail: String? =
                if case .conflict = step.reason { nil } else { step.reason.detail }
            return [step.place, step.source.rawValue, step.reason.word, detail]
                .compactMap(\.self).joined(separator: " ")
        }
    }

    @Test("text: each part, by the lines of its side")
    func text() {
        #expect(
            steps(
                TextMerge(), "a\nb\nc\nd\ne\nf\ng\nh\n", "A\nb\nc\nd\nf\ng\nh\n",
                "a\nb\nx\ny\nc\nd\ne\nf\ng\nH\n")
                == [
                    "line 1 here edited", "lines 3-4 there added", "line 5 here removed",
                    "line 10 there edited",
                ])
        #expect(
            steps(TextMerge(), "a\nb\nc\n", "A\nb\nc\n", "Z\nb\nc\n") == ["line 1 none conflict"])
        #expect(steps(TextMerge(), "a\n", "a\n", "b\n") == ["line 1 there edited"])
    }

    @Test("lines: the changes of both sides")
    func lines() {
        #expect(
            steps(LinesMerge(), "a\nb\n", "a\nx\nb\n", "b\ny\n")
                == ["line 2 here added", "line 1 there removed", "line 2 there added"])
    }

    static let members: (base: String, ours: String, theirs: String) = (
        #"{"t": 1, "n": 10, "old": 0, "w": "x", "l": [1, 2], "s": 1}"#,
        #"{"t": 2, "n": 12, "old": 0, "w": "y", "l": [1, 2, 3], "s": 5, "new": true}"#,
        #"{"t": 1, "n": 11, "w": "z", "l": [1, 2], "s": 5}"#
    )

    private func rules() throws -> MergeSettings {
        var settings = MergeSettings()
        settings.fields = [FieldRule(pattern: try FieldPattern(parsing: "/n"), resolution: .sum)]
        settings.fieldChoice = .theirs
        return settings
    }

    @Test("trees: each member, and the rule for it", arguments: [false, true])
    func trees(_ isTree: Bool) throws {
        let merge: any ContentMerge =
            isTree ? TreeMerge(format: JSONCFormat()) : JSONMerge()
        let (base, ours, theirs) = Self.members
        #expect(
            Set(steps(merge, base, ours, theirs, try rules())) == [
                "/t here edited", "/n both rule sum", "/old there removed", "/w there field-choice",
                "/l here edited", "/s both alike", "/new here added",
            ])
        #expect(
            steps(merge, #"{"a": {"b": 1}}"#, #"{"a": {"b": 2}}"#, #"{"a": {"b": 3}}"#)
                == ["/a/b none conflict"])
    }

    @Test("elements that only their neighbours identify", arguments: [false, true])
    func elements(_ isTree: Bool) {
        let merge: any ContentMerge =
            isTree ? TreeMerge(format: JSONCFormat()) : JSONMerge()
        #expect(
            Set(
                steps(merge, "[[1], [2], [3], [4]]", "[[0], [1], [2], [3], [4]]", "[[1], [2], [3]]")
            )
                == ["/0 here added", "/3 there removed"])
    }

    @Test("tables: a row, and the fields of a row that both changed")
    func tables() {
        let base = "id,n,m\n1,a,b\n2,c,d\n3,e,f\n4,g,h\n"
        #expect(
            Set(
                steps(
                    CSVMerge(), base, "id,n,m\n1,x,b\n2,C,d\n4,g,h\n5,i,j\n",
                    "id,n,m\n1,a,y\n2,c,d\n3,e,f\n4,g,H\n"))
                == [
                    "row 1, column n here edited", "row 1, column m there edited",
                    "row 2 here edited", "row 3 here removed", "row 4 there edited",
                    "row 5 here added",
                ])
    }

    @Test("tables: a new column, and a row beside it, are added")
    func newColumns() {
        let found = steps(
            CSVMerge(), "id,n\n1,a\n2,b\n", "id,n,m\n1,a,x\n2,b,y\n", "id,n\n1,a\n2,c\n3,d\n")
        #expect(found.contains("row 1, column m here added"), "\(found)")
        #expect(found.contains("row 2, column n there edited"), "\(found)")
        #expect(found.contains("row 3, column n there added"), "\(found)")
        #expect(!found.contains { $0.hasPrefix("row 3, column m") }, "\(found)")
    }

    @Test("notebooks: the merged source, and whose run it is")
    func notebooks() {
        func cell(_ lines: [String], _ output: String, _ count: Int) -> String {
            let source = lines.map { "\"\($0)\\n\"" }.joined(separator: ", ")
            return #"{"cells": [{"id": "a", "source": [\#(source)], "outputs": ["\#(output)"], "#
                + #""execution_count": \#(count)}]}"#
        }
        #expect(
            Set(
                steps(
                    NotebookMerge(), cell(["1", "2", "3"], "o", 1), cell(["x", "2", "3"], "p", 2),
                    cell(["1", "2", "y"], "q", 3)))
                == [
                    "/cells/0/source both combined", "/cells/0/outputs there format",
                    "/cells/0/execution_count there format",
                ])
    }

    @Test("Markdown: lines below the front matter, and blocks only where lines conflict")
    func markdown() {
        #expect(
            steps(
                FrontMatterMerge(), "---\na: 1\n---\n1\n2\n3\n", "---\na: 2\n---\n1\n2\n3\n",
                "---\na: 1\n---\n1\n2\n4\n")
                == ["front matter here edited", "line 4 below the front matter there edited"])
        #expect(
            Set(steps(MarkdownTextMerge(), "- a\n", "- a\n- b\n", "- a\n- c\n"))
                == ["/0/1 here added", "/0/1 there added"])
    }

    @Test("databases: the copied side, and the rows and cells of both")
    func databases() throws {
        let folder = DatabaseFolder()
        let base = folder.database(
            """
            CREATE TABLE p(id INTEGER PRIMARY KEY, n TEXT, c INT);
            INSERT INTO p VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3);
            """)
        let changes = [
            "UPDATE p SET n = 'x' WHERE id = 1",
            "UPDATE p SET c = 9 WHERE id = 1; DELETE FROM p WHERE id = 2; INSERT INTO p VALUES (4, 'd', 4)",
        ]
        let sides = changes.map { folder.database($0, from: base) }
        let trace = MergeTrace()
        _ = try SQLiteMerge(trace: trace).merge(
            base: base, ours: sides[0], theirs: sides[1], into: folder.freePath())
        let words = Self.words(trace)
        #expect([" here copied", " there copied"].contains(words.first))
        #expect(
            Set(words.dropFirst()) == [
                "table p, key 1, column n here edited", "table p, key 1, column c there edited",
                "table p, key 2 there removed", "table p, key 4 there added",
            ])
    }

    @Test(
        "databases: the changes of both sides are told beside a conflict, each once",
        arguments: [false, true])
    func besideConflict(_ isTurned: Bool) throws {
        let folder = DatabaseFolder()
        let base = folder.database(
            """
            CREATE TABLE p(id INTEGER PRIMARY KEY, n TEXT, c INT);
            INSERT INTO p VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3), (4, 'd', 4), (5, 'e', 5),
                (6, 'f', 6), (7, 'g', 7);
            CREATE TABLE q(k TEXT PRIMARY KEY, v INT) WITHOUT ROWID;
            INSERT INTO q VALUES ('x', 1), ('y', 2);
            CREATE TABLE r(k INTEGER PRIMARY KEY, v INT);
            INSERT INTO r VALUES (1, 1);
            CREATE TABLE s(k INTEGER PRIMARY KEY, v INT);
            INSERT INTO s VALUES (1, 1);
            CREATE TABLE w(v TEXT);
            INSERT INTO w VALUES ('one'), ('two'), ('three');
            """)
        let changes = [
            """
            UPDATE p SET n = 'L' WHERE id = 1; UPDATE p SET c = 100 WHERE id = 3;
            DELETE FROM p WHERE id IN (4, 6); UPDATE p SET c = 70 WHERE id = 7;
            INSERT INTO p VALUES (8, 'L', 8), (10, 'x', 10);
            UPDATE q SET v = 9 WHERE k = 'x'; UPDATE r SET v = 2;
            INSERT INTO w VALUES ('L'); DELETE FROM w WHERE v = 'two';
            """,
            """
            UPDATE p SET n = 'D' WHERE id = 2; UPDATE p SET c = 200 WHERE id = 3;
            DELETE FROM p WHERE id IN (5, 6); UPDATE p SET c = 70 WHERE id = 7;
            INSERT INTO p VALUES (9, 'D', 9), (10, 'x', 10);
            UPDATE q SET v = 9 WHERE k = 'y'; UPDATE s SET v = 2;
            INSERT INTO w VALUES ('D'); DELETE FROM w WHERE v = 'one';
            """,
        ]
        var sides = changes.map { folder.database($0, from: base) }
        if isTurned { sides.reverse() }
        let trace = MergeTrace()
        let outcome = try SQLiteMerge(trace: trace).merge(
            base: base, ours: sides[0], theirs: sides[1], into: folder.freePath())
        if case .declined(let conflicts) = outcome { trace.add(conflicts) }
        let (one, other) = isTurned ? ("there", "here") : ("here", "there")
        let p = "table p, key"
        let expected: [String] = [
            "\(p) 1, column n \(one) edited", "\(p) 2, column n \(other) edited",
            "\(p) 3 none conflict", "\(p) 4 \(one) removed", "\(p) 5 \(other) removed",
            "\(p) 6 both removed", "\(p) 7, column c both alike", "\(p) 8 \(one) added",
            "\(p) 9 \(other) added", "\(p) 10 both alike",
            "table q, key 'x', column v \(one) edited",
            "table q, key 'y', column v \(other) edited",
            "table r, key 1, column v \(one) edited", "table s, key 1, column v \(other) edited",
            "table w, row ('L') \(one) added", "table w, row ('two') \(one) removed",
            "table w, row ('D') \(other) added", "table w, row ('one') \(other) removed",
        ]
        let told = Self.words(trace).filter { !$0.hasSuffix(" copied") }
        #expect(told.sorted() == expected.sorted())
    }

    @Test("databases: rows that only one version has are told where there is no base")
    func withoutBase() throws {
        let folder = DatabaseFolder()
        let base = folder.database(
            """
            CREATE TABLE p(id INTEGER PRIMARY KEY, n TEXT); INSERT INTO p VALUES (1, 'a');
            CREATE TABLE w(v TEXT); INSERT INTO w VALUES ('one');
            """)
        let sides = [
            "INSERT INTO p VALUES (2, 'b'); INSERT INTO w VALUES ('two')",
            "INSERT INTO p VALUES (3, 'c'); INSERT INTO w VALUES ('three')",
        ].map { folder.database($0, from: base) }
        let trace = MergeTrace()
        _ = try SQLiteMerge(trace: trace).merge(
            base: nil, ours: sides[0], theirs: sides[1], into: folder.freePath())
        #expect(
            Set(Self.words(trace).dropFirst()) == [
                "table p, key 2 here added", "table p, key 3 there added",
                "table w, row ('two') here added", "table w, row ('three') there added",
            ])
    }

    @Test("databases: each cell has its values, by the side that they are of")
    func cells() throws {
        let folder = DatabaseFolder()
        let base = folder.database(
            """
            CREATE TABLE p(a INT, b INT, n TEXT, c INT, PRIMARY KEY (a, b));
            INSERT INTO p VALUES (1, 1, 'a', 1), (2, 1, 'b', 2), (3, 1, 'c', 3);
            """)
        let changes = [
            "UPDATE p SET n = 'x' WHERE a = 1; UPDATE p SET c = 7 WHERE a = 2; DELETE FROM p WHERE a = 3",
            "UPDATE p SET n = 'y' WHERE a = 1; UPDATE p SET c = 9 WHERE a = 2; UPDATE p SET c = 4 WHERE a = 3",
        ]
        let sides = changes.map { folder.database($0, from: base) }
        let outcome = try SQLiteMerge().merge(
            base: base, ours: sides[0], theirs: sides[1], into: folder.freePath())
        guard case .declined(let conflicts) = outcome else {
            Issue.record("It is merged.")
            return
        }
        var name = MergeCell(table: "p", key: "(1, 1)", column: "n")
        (name.base, name.ours, name.theirs) = ("'a'", "'x'", "'y'")
        var number = MergeCell(table: "p", key: "(2, 1)", column: "c")
        (number.base, number.ours, number.theirs) = ("2", "7", "9")
        let row = MergeCell(table: "p", key: "(3, 1)")
        #expect(Set(conflicts.compactMap(\.cell)) == [name, number, row])
        let trace = MergeTrace()
        trace.add(conflicts)
        #expect(Set(trace.steps.compactMap(\.cell)) == [name, number, row])
        // Without a conflict, what one side changed has them, too.
        let edited = folder.database("UPDATE p SET c = 5 WHERE a = 2", from: base)
        let other = folder.database("UPDATE p SET n = 'z' WHERE a = 2", from: base)
        for (ours, theirs) in [(edited, other), (other, edited)] {
            let merged = MergeTrace()
            _ = try SQLiteMerge(trace: merged).merge(
                base: base, ours: ours, theirs: theirs, into: folder.freePath())
            let cells = merged.steps.compactMap(\.cell)
            #expect(Set(cells.map(\.column)) == ["c", "n"])
            for cell in cells {
                let isNumber = cell.column == "c"
                let values = isNumber ? ("2", "5") : ("'b'", "'z'")
                let isOurs = isNumber == (ours == edited)
                #expect(cell.base == values.0)
                #expect(cell.ours == (isOurs ? values.1 : values.0))
                #expect(cell.theirs == (isOurs ? values.0 : values.1))
            }
        }
    }

    @Test("a new merge forgets the steps of the one before, and there is a limit")
    func forgets() {
        let trace = MergeTrace()
        trace.begin("json")
        trace.add("", .both, .combined)
        trace.begin("auto:text", .content)
        #expect(trace.steps.isEmpty && trace.rule == "auto:text" && trace.formatSource == .content)
        trace.add((0...100_000).map { MergeTrace.Step("\($0)", .ours, .edited) })
        #expect(trace.steps.count == 100_000 && trace.isCut)
        // A conflict is what a user has to know of.
        trace.add([MergeConflict("p", "Both sides changed it.")])
        trace.add("q", .ours, .edited)
        #expect(trace.steps.count == 100_001 && trace.steps.last?.place == "p")
    }

    @Test("the steps of a way that was not taken are forgotten, those before stay")
    func discards() {
        let trace = MergeTrace()
        trace.begin("markdown")
        trace.add("title", .ours, .edited)
        let start = trace.count
        trace.add((1...3).map { MergeTrace.Step("line \($0)", .theirs, .edited) })
        trace.discard(from: start)
        #expect(trace.steps.map(\.place) == ["title"])
    }

    @Test("of databases there are places, unless a version is none; an empty base is none at all")
    func places() {
        let database = Array("SQLite format 3\0".utf8)
        let text = Array("text".utf8)
        #expect(MergeTrace.hasPlaces([database, database], base: []))
        #expect(MergeTrace.hasPlaces([database, database], base: database))
        #expect(!MergeTrace.hasPlaces([database, database], base: text))
        #expect(!MergeTrace.hasPlaces([database, []], base: database))
        #expect(!MergeTrace.hasPlaces([text, text], base: text))
    }

    @Test("the result is the same with it and without")
    func sameResult() throws {
        for (name, merge) in [("json", JSONMerge() as any ContentMerge), ("csv", CSVMerge())] {
            let target = try #require(FuzzTarget.all.first { $0.name == name })
            var mutator = Mutator(dice: Dice(seed: 7))
            for _ in 0..<100 {
                let (base, ours, theirs) = mutator.triple(from: target.corpus)
                var input = MergeInput(base: base, ours: ours, theirs: theirs)
                let outcome = merge.merge(input)
                input.trace = MergeTrace()
                #expect(merge.merge(input) == outcome, "\(describe(input))")
            }
        }
    }
}
