import Testing

@testable import FilesinkiMerge

@Suite struct LineEndsTests {
    @Test(arguments: [
        ("", LineEnds.none), ("a", .none), ("a\n", .newline), ("a\nb", .newline), ("a\r\n", .both),
        ("a\r\nb", .both), ("a\r", .other), ("a\rb\n", .other), ("a\r\r\n", .other),
        ("a\r\nb\nc\n", .mixed(isMostlyBoth: false)), ("a\r\nb\r\nc\n", .mixed(isMostlyBoth: true)),
        ("a\r\nb\n", .mixed(isMostlyBoth: false)),
    ])
    func `are read`(_ text: String, _ ends: LineEnds) {
        #expect(LineEnds(Array(text.utf8)) == ends)
    }

    private static let few = LineEnds.mixed(isMostlyBoth: false)
    private static let most = LineEnds.mixed(isMostlyBoth: true)

    /// Those of the base and of the sides, and those of the result; nil where each line keeps its own.
    private static let merges: [(LineEnds, LineEnds, LineEnds, LineEnds?)] = [
        (.newline, .newline, .newline, .newline),
        (.newline, .newline, .both, .both), (.both, .both, .newline, .newline),
        (.newline, .both, .both, .both), (.both, .newline, .none, .newline),
        (.newline, .newline, .none, .newline), (.newline, .none, .both, .both),
        (.none, .newline, .both, .newline), (.none, .none, .both, .both),
        (.newline, .newline, .other, nil), (.other, .newline, .both, nil),
        (.newline, few, .both, .both), (.newline, few, .newline, nil), (.newline, few, .none, nil),
        (.both, most, .both, nil), (.both, most, .newline, .newline), (.none, few, .both, nil),
        (.newline, few, most, nil), (most, most, .newline, .newline), (most, most, .both, nil),
        (few, few, .newline, nil), (few, few, .both, .both), (most, .both, .newline, .newline),
        (few, .both, .newline, .both),
    ]

    @Test(arguments: merges)
    func `are those of the side that changed them`(
        _ base: LineEnds, _ ours: LineEnds, _ theirs: LineEnds, _ merged: LineEnds?
    ) {
        #expect(LineEnds.merged(base: base, ours: ours, theirs: theirs) == merged)
        #expect(LineEnds.merged(base: base, ours: theirs, theirs: ours) == merged)
    }
}
