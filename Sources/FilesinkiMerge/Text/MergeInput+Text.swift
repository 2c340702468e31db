/// What git looks at to tell a text from anything else.
private let binaryWindow = 8000
/// git's limit, which keeps line numbers and places in 32 bits.
private let largestText = 1023 << 20

extension MergeInput {
    /// The result, where it takes no merge: one side is as the base, or both are equal.
    var obvious: [UInt8]? {
        if here == there || there == base { return here }
        return here == base ? there : nil
    }

    /// Why these contents cannot be merged as texts; nil if they can.
    var refusalAsText: String? {
        let contents = [base ?? [], here, there]
        if contents.contains(where: { $0.prefix(binaryWindow).contains(0) }) {
            return "The content is not text."
        }
        return contents.contains { $0.count > largestText } ? "The text is too large." : nil
    }
}
