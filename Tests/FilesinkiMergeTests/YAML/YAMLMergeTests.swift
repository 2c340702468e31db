import Testing

@testable import FilesinkiMerge

@Suite("YAML merged by key and element")
struct YAMLMergeTests {
    private func check(_ row: MergeCase, _ location: SourceLocation = #_sourceLocation) {
        for input in [row.input, row.input.swapped] {
            #expect(
                TreeMerge(format: YAMLFormat()).merge(input).shown == row.merged,
                sourceLocation: location)
        }
    }

    @Test func `versions of which one is not read are no documents`() {
        let read = MergeCase("", "a: 1\nb: 1\n", "a: 2\nb: 1\n", "a: 1\nb: 2\n", "a: 2\nb: 2\n")
        #expect(DocumentFormat.yaml.mergeDocuments(read.input)?.shown == read.merged)
        let unread = MergeCase("", "a: 1\nb: 1\n", "a: &x 2\nb: 1\n", "a: 1\nb: 2\n", "")
        #expect(DocumentFormat.yaml.mergeDocuments(unread.input) == nil)
    }

    @Test(
        "different values are merged, and every other byte stays",
        arguments: [
            MergeCase(
                "neighbouring keys", "---\na: 1\nb: two # c\n", "---\na: 5\nb: two # c\n",
                "---\na: 1\nb: six # c\n", "---\na: 5\nb: six # c\n"),
            MergeCase(
                "nested mappings", "a:\n  x: 1\n  y: 1\n\nb:\n    z: 1\n",
                "a:\n  x: 1\n  w: 1\n  y: 1\n\nb:\n    z: 1\n",
                "a:\n  x: 2\n  y: 1\n\nb:\n    z: 1\n    q: 'é'\n",
                "a:\n  x: 2\n  w: 1\n  y: 1\n\nb:\n    z: 1\n    q: 'é'\n"),
            MergeCase(
                "comments of both sides", "a:\n  # about x\n  x: 1\n\n# alone\n\nb: 1\n",
                "a:\n  # more about x\n  x: 1\n\n# alone\n\nb: 1\n",
                "a:\n  # about x\n  x: 2\n\n# quite alone\n\nb: 1\n",
                "a:\n  # more about x\n  x: 2\n\n# quite alone\n\nb: 1\n"),
            MergeCase(
                "lists of values as sets, also without indentation", "l:\n- a\n- m\nk: 1\n",
                "l:\n- a\n- c\n- m\nk: 1\n",
                "l:\n- a\n- b\n- m\nk: 2\n", "l:\n- a\n- b\n- c\n- m\nk: 2\n"),
            MergeCase(
                "two short runs stay together", "l:\n- m\n\nk: 1\n", "l:\n- d\n- a\n- m\n\nk: 1\n",
                "l:\n- c\n- b\n- m\n\nk: 1\n", "l:\n- c\n- b\n- d\n- a\n- m\n\nk: 1\n"),
            MergeCase(
                "a blank line removed before an element that the other side edited",
                "- a\n\n- b\n\n- c\n", "- a\n- b\n\n- c\n",
                "- a\n\n- z\n\n- c\n", "- a\n- z\n\n- c\n"),
            MergeCase(
                "a blank line removed behind an element that the other side edited",
                "- a\n\n- b\n\n- c\n", "- a\n\n- b\n- c\n",
                "- a\n\n- z\n\n- c\n", "- a\n\n- z\n- c\n"),
            MergeCase(
                "elements by identity", "s:\n  - name: a\n    run: 1\n\n  - name: b\n    run: 1\n",
                "s:\n  - name: a\n    run: 2\n\n  - name: b\n    run: 1\n",
                "s:\n  - name: a\n    run: 1\n    if: x\n\n  - name: c\n    run: 1\n\n  - name: b\n    run: 3\n",
                "s:\n  - name: a\n    run: 2\n    if: x\n\n  - name: c\n    run: 1\n\n  - name: b\n    run: 3\n"
            ),
            MergeCase(
                "an edited element stays before what the other side put behind it",
                "- name: b\n  run: 1\n- name: y\n- name: a\n",
                "- name: x\n  run: 1\n- name: y\n- name: a\n",
                "- name: b\n  run: 1\n- name: c\n- name: y\n- name: a\n",
                "- name: x\n  run: 1\n- name: c\n- name: y\n- name: a\n"),
            MergeCase(
                "an element between two that the other side edited",
                "- a: 1\n- a: 2\n- a: 9\n", "- a: 7\n- a: 8\n- a: 9\n",
                "- a: 1\n- a: 5\n- a: 2\n- a: 9\n", "- a: 7\n- a: 5\n- a: 8\n- a: 9\n"),
            MergeCase(
                "block scalars", "r: |\n  # no comment\n  x: 1\n\n  y\ns: >-\n  z\nt: 1\n",
                "r: |\n  # no comment\n  x: 2\n\n  y\ns: >-\n  z\nt: 1\n",
                "r: |\n  # no comment\n  x: 1\n\n  y\ns: >-\n  q\nt: 2\n",
                "r: |\n  # no comment\n  x: 2\n\n  y\ns: >-\n  q\nt: 2\n"),
            MergeCase(
                "quotes, empty values and brackets",
                "a: \"x: # y\"\n'b': 'it''s'\nc:\nd: [1, \"]\"] # e\nf: {}\n",
                "a: \"x: # z\"\n'b': 'it''s'\nc:\nd: [1, \"]\"] # e\nf: {}\n",
                "a: \"x: # y\"\n'b': 'it''s'\nc: 1\nd: [2] # e\nf: {}\n",
                "a: \"x: # z\"\n'b': 'it''s'\nc: 1\nd: [2] # e\nf: {}\n"),
            MergeCase(
                "a value becomes a mapping", "a: 1\nb: 1\n", "a:\n  x: 1\nb: 1\n", "a: 1\nb: 2\n",
                "a:\n  x: 1\nb: 2\n"),
            MergeCase(
                "lists in lists, and mappings in them", "- - a\n  - b: 1\n    c: 1\n- d\n",
                "- - a\n  - b: 2\n    c: 1\n- d\n",
                "- - a\n  - b: 1\n    c: 3\n- d\n", "- - a\n  - b: 2\n    c: 3\n- d\n"),
            MergeCase(
                "lines of a block scalar", "r: |\n  a\n  b\n  c\nk: 1\n",
                "r: |\n  x\n  b\n  c\nk: 1\n", "r: |\n  a\n  b\n  z\nk: 1\n",
                "r: |\n  x\n  b\n  z\nk: 1\n"),
            MergeCase(
                "a comment removed here, below which the other side adds an element",
                "s:\n  - a\n# off until fixed\n# - b\ni: true\n",
                "s:\n  - a\n  - b2\ni: true\n",
                "s:\n  - a\n# off until fixed\n# - b\n  - c\ni: true\n",
                "s:\n  - a\n  - b2\n  - c\ni: true\n"),
            MergeCase(
                "a comment that both sides keep",
                "s:\n  - a\n# off\ni: true\n", "s:\n  - a\n# off\ni: false\n",
                "s:\n  - a\n# off\n  - c\ni: true\n", "s:\n  - a\n# off\n  - c\ni: false\n"),
            MergeCase(
                "an element that both sides edited at different places",
                "- S:\n    - A: x\n    - B: y\n    - C: z\n",
                "- S:\n    - A: x\n    - B: y\n    - C: z\n    - D: w\n",
                "- S:\n    - A: q\n    - B: y\n    - C: z\n",
                "- S:\n    - A: q\n    - B: y\n    - C: z\n    - D: w\n"),
            MergeCase(
                "both add keys at the end", "a:\n  x: 1\n", "a:\n  x: 1\n  z: 1\n",
                "a:\n  x: 1\n  y: 1\n",
                "a:\n  x: 1\n  y: 1\n  z: 1\n"),
        ])
    func merged(_ row: MergeCase) { check(row) }

    @Test(
        "what would have to be guessed is declined, and named",
        arguments: [
            MergeCase(
                "one element in the place of another, which kept less than half of its list",
                "- x\n- p:\n  - a\n  - b\n  - c\n", "- x\n- p:\n  - a\n  - d\n  - e\n",
                "- x\n- p:\n  - a\n  - b\n  - c\n  - f\n", "declined: "),
            MergeCase(
                "two values", "a:\n  x: 1\n", "a:\n  x: 2\n", "a:\n  x: 3\n", "declined: /a/x"),
            MergeCase(
                "both add a key", "a:\n  x: 1\n  y: 1\n", "a:\n  n: 1\n  x: 1\n  y: 1\n",
                "a:\n  x: 1\n  y: 1\n  n: 2\n", "declined: /a/n"),
            MergeCase(
                "a key in a mapping that the other side removed", "a:\n  x: 1\nb: 1\n", "b: 1\n",
                "a:\n  x: 1\n  y: 1\nb: 1\n", "declined: /a"),
            MergeCase(
                "a block scalar", "a: |\n  x\n", "a: |\n  y\n", "a: |\n  z\n", "declined: /a"),
            MergeCase(
                "one element added at two places of an edited list",
                "- S:\n    - A: x\n    - B: y\n    - C: z\n    - E: z\n",
                "- S:\n    - A: x\n    - N: 1\n    - B: y\n    - C: 1\n    - E: z\n",
                "- S:\n    - A: q\n    - B: y\n    - C: z\n    - E: z\n    - N: 1\n",
                "declined: "),
            MergeCase(
                "other indentation", "a:\n  x: 1\n", "a:\n    x: 1\n", "a:\n  x: 1\n  y: 2\n",
                "declined: "),
            MergeCase(
                "a range", "r:\n- 1\n- 5\n", "r:\n- 5\n- 9\n", "r:\n- 1\n- 7\n", "declined: /r"),
            MergeCase(
                "truth values", "- true\n- x\n", "- false\n- x\n", "- true\n- y\n", "declined: "),
            MergeCase(
                "two orders", "l:\n- a\n- b\n- c\n", "l:\n- b\n- a\n- c\n",
                "l:\n- a\n- c\n- b\n", "declined: /l"),
            MergeCase(
                "two orders of mappings", "- name: a\n- name: b\n- name: c\n",
                "- name: b\n- name: a\n- name: c\n", "- name: a\n- name: c\n- name: b\n",
                "declined: "),
            MergeCase(
                "a key twice", "a: 1\nb: 1\n", "a: 1\na: 2\nb: 1\n", "a: 3\nb: 1\n", "declined: "),
        ])
    func declined(_ row: MergeCase) { check(row) }

    @Test(
        "what is not read, and so is merged as text",
        arguments: [
            "a: &x 1", "a: *x", "a: !t 1", "<<: b", "? a", "a: 1\n---\nb: 1", "a: 1\n...",
            "%YAML 1.2\n---\na: 1",
            "a: x\n  y", "a: \"x\n  y\"", "a: [1,\n  2]", "a: b: c", "a: |+\n  x\n", "a: |2\n   x",
            "a:\n\tb: 1", "x",
            "a: 1\n b: 2", "a:\n  b: 1\n c: 2", "a: 1\n- b", "- a\nb: 1", "- x: 1\n - y",
            "a: 'x' y", "a: [&x 1]", "a: - b",
            "\"a: 1", "", "# c", "'a' b: 1", "a: @x", "a: `x",
        ])
    func refused(_ text: String) {
        #expect(YAMLFormat().read(Array((text + "\n").utf8)) == nil)
    }

    @Test(
        "documents with values of several lines are merged by key where lines conflict",
        arguments: [
            MergeCase(
                "a plain scalar", "a: x\n  y\nos: 1\n", "a: x\n  y\nos: 1\nonly: m\n",
                "a: x\n  y\nos: 2\n", "a: x\n  y\nos: 2\nonly: m\n"),
            MergeCase(
                "brackets", "l: [ # c\n  1,\n  '2'\n]\ne:\n  A: 1\n",
                "l: [ # c\n  1,\n  '2'\n]\ne:\n  A: 1\n  C: 1\n",
                "l: [ # c\n  1,\n  '2'\n]\ne:\n  A: 1\n  B: 1\n",
                "l: [ # c\n  1,\n  '2'\n]\ne:\n  A: 1\n  B: 1\n  C: 1\n"),
            MergeCase(
                "quotes and a tag", "- a: \"x\n    y\"\n  b: !t 'z'\n  c: 1\n",
                "- a: \"x\n    y\"\n  b: !t 'w'\n  c: 1\n",
                "- a: \"x\n    y\"\n  b: !t 'z'\n  c: 2\n",
                "- a: \"x\n    y\"\n  b: !t 'w'\n  c: 2\n"),
            MergeCase(
                "lines of a script with a tag", "a: !t |-\n  x\n  y\n  z\nb: 1\n",
                "a: !t |-\n  X\n  y\n  z\nb: 1\n", "a: !t |-\n  x\n  y\n  Z\nb: 2\nc: 1\n",
                "a: !t |-\n  X\n  y\n  Z\nb: 2\nc: 1\n"),
            MergeCase("one scalar", "a: x\n  y\n", "a: x\n  z\n", "a: x\n  w\n", "declined: /a"),
        ])
    func wide(_ row: MergeCase) {
        for input in [row.input, row.input.swapped] {
            #expect(DocumentFormat.yaml.mergeDocuments(input)?.shown == row.merged)
        }
    }

    @Test("a rule decides about values beside those of several lines")
    func wideRule() throws {
        var input = MergeCase("", "a: x\n  y\nn: 1\n", "a: x\n  y\nn: 2\n", "a: x\n  y\nn: 2\n", "")
            .input
        input.theirs += Array("m: 1\n".utf8)
        input.settings.fields = [
            FieldRule(pattern: try FieldPattern(parsing: "/n"), resolution: .sum)
        ]
        #expect(DocumentFormat.yaml.merge.merge(input).shown == "a: x\n  y\nn: 3\nm: 1\n")
    }

    @Test(
        "which values of several lines are read",
        arguments: [
            ("a: x\n  y z\n\n  - w\nb: 1", true), ("a: x\n  y: 1", false),
            ("a: x\n  # c\n  y", false),
            ("a: x # c\n  y", false), ("- x\n  y\n- z", true), ("- x\ny", false),
            ("a: \"x\n\n  y\" # c", true),
            ("a: \"x\ny\"", false), ("a: 'x\n  y' z", false), ("a: [1,\n2]", true),
            ("a: {b: [1, # c\n  2]}", true), ("a: [1,\n  &x 2]", false), ("a: [1,\n  2", false),
            ("a: !t x", true), ("a: !t", false), ("a: !t\n  b: 1", false), ("a: !t !u x", false),
            ("a: &x 1", false), ("a: *x", false), ("<<: b", false),
        ] as [(String, Bool)])
    func widelyRead(text: String, isRead: Bool) {
        #expect((YAMLFormat(isWide: true).read(Array((text + "\n").utf8)) != nil) == isRead)
    }

    @Test("a merge of lines that is no sound document is declined")
    func guarded() {
        let base = "x: &a\n  k: 1\n  l: 2\n  m: 3\ny: *a\n"
        func merged(_ ours: String, _ theirs: String, _ base: String = base) -> String {
            YAMLTextMerge().merge(MergeCase("", base, ours, theirs, "").input).shown
        }
        let (first, last) = (
            base.replacing("  k: 1\n", with: "  n: 1\n  k: 1\n"),
            base.replacing("  m: 3\n", with: "  m: 3\n  n: 2\n")
        )
        #expect(merged(first, last) == "declined: ")
        #expect(
            merged(first, base.replacing("m: 3", with: "m: 4"))
                == first.replacing("m: 3", with: "m: 4"))
        // What has a key twice before is merged as any text.
        #expect(merged("y: 1\n" + first, "y: 1\n" + last, "y: 1\n" + base).hasPrefix("y: 1"))
        #expect(merged(base, "a: 1\na: 1\n") == "a: 1\na: 1\n")
    }

    @Test(
        "which documents are sound",
        arguments: [
            ("a: 1\nb: 2", true), ("a: 1\na: 2", false), ("a:\n  x: 1\nb:\n  x: 1", true),
            ("- a: 1\n- a: 1", true), ("- a: 1\n  a: 2", false), ("a:\n- x: 1\n- x: 2\nb: 1", true),
            ("a:\n- x\na: 1", false), ("a: |\n  x: 1\n  x: 1\nb: 1", true),
            ("a:\n  b: 1\n c: 2", false),
            ("a: 1\n  b: 2", false), ("a: x\n  y z\nb: 1", true), ("a: [x,\n  y: 1]\nb: 1", true),
            ("a: 'x\n  y: 1'\nb: 1", true), ("a: 1\n---\na: 1", true),
            ("a: &x\n  b: 1\nc: *x", true),
            ("a:\n\tb: 1", false), ("# a\n\na: 1 # a: 1", true), ("a: [1", false),
            ("a: x\n  # c\n  y\nb: 1", false), ("a:\n  # c\n  y\nb: 1", true),
            ("- - x: 1\n  - x: 1", true),
        ] as [(String, Bool)])
    func sound(text: String, isSound: Bool) {
        #expect(YAMLBlocks.areSound(Array((text + "\n").utf8)) == isSound)
    }

    @Test("nesting is limited", arguments: [100, 101, 5_000])
    func depth(_ depth: Int) {
        let text = String(repeating: "- ", count: depth) + "x\n"
        #expect((YAMLFormat().read(Array(text.utf8)) != nil) == (depth <= 100))
    }
}
