/// A run of lines that was replaced by another; one of the two may be empty.
struct LineChange: Hashable {
    var old: Range<Int>
    var new: Range<Int>
}
