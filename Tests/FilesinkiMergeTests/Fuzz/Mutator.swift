/// Changes contents at random: some of it as people do, some of it as a broken disk does.
struct Mutator {
    var dice: Dice
    /// Contents do not grow beyond this.
    private static let largest = 20_000
    private static let telling: [UInt8] = Array("\n\r\",;\t|{}[]:0-.a ".utf8) + [0, 0xEF, 0xFF]

    mutating func mutated(_ content: [UInt8], beside corpus: [String]) -> [UInt8] {
        var result = content
        for _ in 0..<(1 + dice.below(4)) { mutate(&result, beside: corpus) }
        return Array(result.prefix(Self.largest))
    }

    private mutating func mutate(_ content: inout [UInt8], beside corpus: [String]) {
        let piece = dice.range(in: content.count, atMost: 1 + dice.below(40))
        switch dice.below(14) {
        case 0:
            if let place = content.indices.randomElement(using: &dice) {
                content[place] ^= UInt8(1) << UInt8(dice.below(8))
            }
        case 1: content.insert(dice.pick(Self.telling), at: piece.lowerBound)
        case 2: content.removeSubrange(piece)
        case 3: content.insert(contentsOf: content[piece], at: dice.below(content.count + 1))
        case 4: splice(&content, Array(dice.pick(corpus).utf8))
        case 5: repeatMuch(&content, piece)
        case 6, 7, 8, 9, 10: changeLines(&content)
        default: changeFields(&content)
        }
    }

    private mutating func splice(_ content: inout [UInt8], _ other: [UInt8]) {
        let piece = other[dice.range(in: other.count)]
        content.replaceSubrange(dice.range(in: content.count), with: piece)
    }

    private mutating func repeatMuch(_ content: inout [UInt8], _ piece: Range<Int>) {
        guard dice.once(in: 8) else { return }
        let copies = repeatElement(content[piece], count: 1 + dice.below(300)).joined()
        content.insert(contentsOf: Array(copies), at: piece.lowerBound)
    }

    private mutating func changeLines(_ content: inout [UInt8]) {
        var lines = content.split(separator: 10, omittingEmptySubsequences: false).map(Array.init)
        let place = dice.below(lines.count)
        switch dice.below(6) {
        case 0: lines.insert(lines[place], at: dice.below(lines.count + 1))
        case 1: lines.remove(at: place)
        case 2: lines.insert(Array("new \(dice.below(1000))".utf8), at: place)
        case 3: lines.swapAt(place, dice.below(lines.count))
        case 4: lines.sort { $0.lexicographicallyPrecedes($1) }
        default: lines[place] += Array("edited \(dice.below(100))".utf8)
        }
        content = Array(lines.joined(separator: [10]))
    }

    /// Treats the content as a table: a row, a column or a field changes.
    private mutating func changeFields(_ content: inout [UInt8]) {
        let separator =
            [UInt8(ascii: ","), UInt8(ascii: ";"), 9, UInt8(ascii: "|")]
            .first { content.contains($0) } ?? UInt8(ascii: ",")
        var rows = content.split(separator: 10, omittingEmptySubsequences: false).map {
            $0.split(separator: separator, omittingEmptySubsequences: false).map(Array.init)
        }
        let row = dice.below(rows.count)
        let column = dice.below(rows[row].count)
        let new = Array("\(dice.below(50))".utf8)
        switch dice.below(5) {
        case 0: rows[row][column] = new
        case 1: rows[row][column] = [34] + rows[row][column] + [34]
        case 2: rows.insert(rows[0].map { _ in Array("\(dice.below(99))".utf8) }, at: row)
        case 3:
            for index in rows.indices where column < rows[index].count {
                rows[index].remove(at: column)
            }
        default:
            for index in rows.indices where rows[index].count > 1 {
                rows[index].insert(
                    index == 0 ? Array("new".utf8) + new : new, at: min(column, rows[index].count))
            }
        }
        content = Array(
            rows.map { Array($0.joined(separator: [separator])) }.joined(separator: [10]))
    }

    /// A base and two descendants of it.
    mutating func triple(from corpus: [String]) -> (base: [UInt8]?, ours: [UInt8], theirs: [UInt8])
    {
        var base = Array(dice.pick(corpus).utf8)
        if dice.once(in: 2) { base = mutated(base, beside: corpus) }
        let ours = mutated(base, beside: corpus)
        let theirs = mutated(base, beside: corpus)
        return (dice.once(in: 20) ? nil : base, ours, theirs)
    }
}

/// Chance that a seed repeats (SplitMix64).
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// 0 up to below the limit; 0 for a limit of 0.
    mutating func below(_ limit: Int) -> Int {
        limit > 0 ? Int.random(in: 0..<limit, using: &self) : 0
    }

    /// True once in so many throws.
    mutating func once(in throwCount: Int) -> Bool { below(throwCount) == 0 }

    /// A piece of something with so many elements, not longer than the limit.
    mutating func range(in count: Int, atMost limit: Int = .max) -> Range<Int> {
        let start = below(count + 1)
        return start..<(start + below(min(limit, count - start) + 1))
    }

    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[below(choices.count)]
    }
}
