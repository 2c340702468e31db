@testable import FilesinkiMerge

/// Texts that are hard to merge: short lines from a small alphabet, so that much repeats, blank
/// lines and braces, mixed line ends, missing last newlines; and adjacent edits.
struct TextTriples {
    private var dice: Dice

    init(seed: UInt64) { dice = Dice(seed: seed) }

    private static let alphabets: [[String]] = [
        ["a", "b"],
        ["a", "b", "c", "d", ""],
        (0..<40).map { "line \($0)" },
        (0..<400).map { "word\($0)" },
        [
            "", "", "{", "}", "    {", "    }", "    return 0;", "\treturn;", "if (x) {",
            "} else {",
            "int f(int a)", "int g(void)", "    a = b + 1;", "    b = a;", "    call(a, b);", "/*",
            " */", "#endif",
        ],
    ]

    /// Base, here and there.
    mutating func next() -> MergeInput {
        let alphabet = dice.pick(Self.alphabets)
        let size = dice.pick([0, 1, 3, 6, 10, 10, 20, 20, 40, 40, 100])
        return triple(alphabet, lines: size, edits: dice.pick([1, 2, 3, 5, 8]))
    }

    /// A triple that is so different that the comparison gives up looking for the shortest edit.
    mutating func nextLarge() -> MergeInput {
        let alphabet = dice.pick(Self.alphabets)
        return triple(
            alphabet, lines: 500 + dice.below(3000), edits: dice.pick([20, 200, 1000, 3000]))
    }

    private mutating func triple(_ alphabet: [String], lines: Int, edits: Int) -> MergeInput {
        let base = (0..<lines).map { _ in dice.pick(alphabet) }
        var ours = base
        var theirs = base
        for _ in 0..<dice.below(edits + 1) { edit(&ours, alphabet) }
        for _ in 0..<dice.below(edits + 1) { edit(&theirs, alphabet) }
        if dice.once(in: 3) { editBoth(&ours, &theirs, alphabet) }
        let ends = dice.once(in: 4) ? ["\n", "\r\n"] : [dice.pick(["\n", "\n", "\r\n"])]
        let usualSeed = dice.next()
        return MergeInput(
            base: text(base, ends, usualSeed), ours: text(ours, ends, usualSeed),
            theirs: text(theirs, ends, usualSeed))
    }

    private mutating func edit(_ lines: inout [String], _ alphabet: [String]) {
        let place = dice.range(in: lines.count, atMost: min(20, 1 + lines.count / 8))
        switch dice.below(8) {
        case 0, 1: lines.insert(dice.pick(alphabet), at: place.lowerBound)
        case 2: lines.removeSubrange(place)
        case 3: lines.insert(contentsOf: lines[place], at: dice.below(lines.count + 1))
        case 4:
            let moved = Array(lines[place])
            lines.removeSubrange(place)
            lines.insert(contentsOf: moved, at: dice.below(lines.count + 1))
        case 5: lines.insert(contentsOf: lines[place], at: place.upperBound)
        default: lines.replaceSubrange(place, with: place.map { _ in dice.pick(alphabet) })
        }
    }

    /// The same lines at about the same place of both.
    private mutating func editBoth(
        _ ours: inout [String], _ theirs: inout [String], _ alphabet: [String]
    ) {
        let place = dice.range(in: min(ours.count, theirs.count), atMost: 4)
        let lines = (0..<dice.below(5)).map { _ in dice.pick(alphabet) }
        ours.replaceSubrange(place, with: lines)
        theirs.replaceSubrange(place, with: dice.once(in: 3) ? lines.dropLast() : lines)
    }

    /// The line end of a line follows from its content and the seed, so that equal lines stay
    /// equal for the most part.
    private mutating func text(_ lines: [String], _ ends: [String], _ seed: UInt64) -> [UInt8] {
        var result: [UInt8] = []
        for line in lines {
            let isUsual = ends.count == 1 || !dice.once(in: 20)
            let choice = (seed >> UInt64(line.utf8.count % 32)) & 1
            result += line.utf8
            result += (isUsual ? ends[Int(choice) % ends.count] : dice.pick(ends)).utf8
        }
        if dice.once(in: 4), result.last == UInt8(ascii: "\n") { result.removeLast() }
        return result
    }
}
