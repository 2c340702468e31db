/// Where two sequences differ.
///
/// Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1986. Beyond a number
/// of differences it gives up, and says that everything between the equal ends differs: that is
/// true too, and costs nothing.
struct SequenceDiff {
    /// A range of base, and what a side has there instead.
    struct Change: Hashable {
        var base: Range<Int>
        var side: Range<Int>
    }

    private static let mostDifferences = 500

    static func changes(_ base: [Int], _ side: [Int]) -> [Change] {
        let head = zip(base, side).prefix { $0 == $1 }.count
        let tail = zip(base[head...].reversed(), side[head...].reversed()).prefix { $0 == $1 }.count
        let left = Array(base[head..<(base.count - tail)])
        let right = Array(side[head..<(side.count - tail)])
        guard !left.isEmpty || !right.isEmpty else { return [] }
        let whole = Change(
            base: head..<(head + left.count), side: head..<(head + right.count))
        guard !left.isEmpty, !right.isEmpty, let trail = trail(left, right) else { return [whole] }
        let pairs = path(trail, left, right).reversed() + [(left.count, right.count)]
        return gaps(pairs, offset: head)
    }

    /// How far each diagonal was reached, for every number of differences.
    private static func trail(_ left: [Int], _ right: [Int]) -> [[Int]]? {
        var trail: [[Int]] = []
        let limit = min(mostDifferences, left.count + right.count)
        var reach = [Int](repeating: 0, count: 2 * limit + 3)
        for count in 0...limit {
            for diagonal in stride(from: -count, through: count, by: 2) {
                let goesDown =
                    diagonal == -count
                    || diagonal != count && reach[limit + diagonal] < reach[limit + diagonal + 2]
                var x = goesDown ? reach[limit + diagonal + 2] : reach[limit + diagonal] + 1
                while x < left.count, x - diagonal < right.count, left[x] == right[x - diagonal] {
                    x += 1
                }
                reach[limit + diagonal + 1] = x
                if x >= left.count, x - diagonal >= right.count {
                    trail.append(Array(reach[(limit + 1 - count)...(limit + 1 + count)]))
                    return trail
                }
            }
            trail.append(Array(reach[(limit + 1 - count)...(limit + 1 + count)]))
        }
        return nil
    }

    /// The pairs of equal elements, last first.
    private static func path(_ trail: [[Int]], _ left: [Int], _ right: [Int]) -> [(Int, Int)] {
        var pairs: [(Int, Int)] = []
        var (x, y) = (left.count, right.count)
        for count in stride(from: trail.count - 1, through: 0, by: -1) {
            let diagonal = x - y
            guard count > 0 else {
                while x > 0, y > 0 {
                    (x, y) = (x - 1, y - 1)
                    pairs.append((x, y))
                }
                break
            }
            let before = trail[count - 1]
            func reached(_ other: Int) -> Int {
                abs(other) <= count - 1 ? before[other + count - 1] : -1
            }
            let goesDown =
                diagonal == -count
                || diagonal != count && reached(diagonal - 1) < reached(diagonal + 1)
            let previous = goesDown ? diagonal + 1 : diagonal - 1
            let from = reached(previous)
            let start = goesDown ? from : from + 1
            while x > start {
                (x, y) = (x - 1, y - 1)
                pairs.append((x, y))
            }
            (x, y) = (from, from - previous)
        }
        return pairs
    }

    /// What lies between pairs of equal elements.
    private static func gaps(_ pairs: [(Int, Int)], offset: Int) -> [Change] {
        var result: [Change] = []
        var (x, y) = (0, 0)
        for pair in pairs {
            if pair.0 > x || pair.1 > y {
                result.append(
                    Change(
                        base: (offset + x)..<(offset + pair.0),
                        side: (offset + y)..<(offset + pair.1)))
            }
            (x, y) = (pair.0 + 1, pair.1 + 1)
        }
        return result
    }
}
