import FilesinkiModel
import Testing

@testable import FilesinkiMerge

@Suite struct MergeTrioTests {
    @Test(arguments: [
        ([], ""), (["a"], "/a"), (["a", "0"], "/a/0"), ([""], "/"), (["a/b", "m~n"], "/a~1b/m~0n"),
        (["~1"], "/~01"), (["\u{E4}"], "/\u{E4}"),
    ])
    func `a place is a JSON Pointer`(_ tokens: [String], _ pointer: String) {
        var place = MergePlace()
        for token in tokens { place.enter(Array(token.utf8)) }
        #expect(place.pointer == pointer)
        #expect(place.texts == tokens)
        place.enter([0xFF])
        #expect(place.pointer == pointer + "/\u{FFFD}")
        place.leave()
        #expect(place.pointer == pointer)
    }

    /// Times of the sides, a choice, and the side that it is.
    private static let choices: [(Int64, Int64, FieldChoice?, MergeVersion?)] = [
        (1, 2, .newest, .theirs), (2, 1, .newest, .ours),
        (1, 2, .oldest, .ours), (2, 1, .oldest, .theirs), (1, 1, .newest, nil),
        (1, 1, .oldest, nil),
        (1, 2, .ours, .ours), (1, 2, .theirs, .theirs), (1, 2, nil, nil),
    ]

    @Test(arguments: choices)
    func `a choice is a side`(
        _ ours: Int64, _ theirs: Int64, _ choice: FieldChoice?, _ side: MergeVersion?
    ) {
        var input = MergeInput(
            base: nil, ours: [], theirs: [], oursModified: Timestamp(nanoseconds: ours),
            theirsModified: Timestamp(nanoseconds: theirs))
        input.settings.fieldChoice = choice
        #expect(input.chosenSide == side)
        #expect(input.conflictSide == side)
        #expect(input.markedSide == nil)
    }
}
