import FilesinkiReconcile

/// The answer of a link, and why it declined if it did.
struct LinkAnswer {
    var answer: Answer
    /// A sentence for each place where the link would have had to guess, or what went wrong.
    var reasons: [String]

    init(_ answer: Answer, _ reasons: [String] = []) {
        self.answer = answer
        self.reasons = reasons
    }
}
