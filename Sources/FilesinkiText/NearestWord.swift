/// Finds the word that somebody who mistyped one may have meant.
package enum NearestWord {
    /// A question that names the most similar word, with a space behind it; empty if none is similar.
    package static func suggestion(for word: String, among words: [String]) -> String {
        nearest(to: word, among: words).map { "Did you mean '\($0)'? " } ?? ""
    }

    /// The most similar word; nil if none is similar. Of three letters one may be wrong, of a longer word two at
    /// most: with more, the two are different words.
    package static func nearest(to word: String, among words: [String]) -> String? {
        let near = words.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
        guard let near, near.1 <= min(2, max(word.count, near.0.count) / 3) else { return nil }
        return near.0
    }

    /// How many letters have to be inserted, removed, replaced or swapped with their neighbour to make
    /// one word of the other: the optimal string alignment distance.
    package static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var before: [Int] = []
        var last = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var next = [row + 1]
            for (column, other) in right.enumerated() {
                var cost = min(last[column + 1], next[column]) + 1
                cost = min(cost, last[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    cost = min(cost, before[column - 1] + 1)
                }
                next.append(cost)
            }
            (before, last) = (last, next)
        }
        return last[right.count]
    }
}
