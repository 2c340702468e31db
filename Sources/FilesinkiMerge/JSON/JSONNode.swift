/// A value in a document: where it is written, and what it is worth.
///
/// Nodes lie in the order of their beginnings; what is inside a container follows it directly.
package struct JSONNode: Sendable {
    /// What a value is.
    package enum Kind: UInt8, Sendable {
        case object, array, string, number, literal

        var isContainer: Bool { self == .object || self == .array }
    }

    var kind: Kind
    /// The key of a member, quotes included; empty for elements and the root.
    var key: Range<Int32> = 0..<0
    /// The value itself, without the white space around it.
    var value: Range<Int32>
    /// The index of the first node that is not inside this one.
    var after: Int32
    /// How many members or elements a container has.
    var count: Int32 = 0
    /// Equal for equal values; not the other way round.
    var hash: Int = 0
    /// Equal for equal keys; not the other way round.
    var keyHash: Int = 0

    /// Where the member or element begins.
    var start: Int32 { key.isEmpty ? value.lowerBound : key.lowerBound }
    var end: Int32 { value.upperBound }
}
