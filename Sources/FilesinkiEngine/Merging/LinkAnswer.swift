import FilesinkiReconcile

/// The answer of a link, and why it declined if it did.
struct LinkAnswer {
    /// Nil while nobody can say: the step stays undecided, and a later run asks again.
    var answer: Answer?
    /// A sentence for each place where the link would have had to guess, or what went wrong.
    var reasons: [String]

    init(_ answer: Answer?, _ reasons: [String] = []) {
        self.answer = answer
        self.reasons = reasons
    }
}
