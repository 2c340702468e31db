/// A place of a three-way merge where at least one side changed the base.
struct TextHunk {
    enum Source {
        /// Each side changed it in its own way.
        case conflict
        /// Only this side changed it: take its lines.
        case here, there
        /// Both sides came to the same lines.
        case same
    }

    var source: Source
    /// The lines of this place in each side.
    var here: Range<Int>
    var there: Range<Int>

    /// Takes in a hunk that begins where this one ends, or before it ends.
    mutating func extend(to next: TextHunk) {
        here = here.lowerBound..<max(here.lowerBound, next.here.upperBound)
        there = there.lowerBound..<max(there.lowerBound, next.there.upperBound)
    }
}
