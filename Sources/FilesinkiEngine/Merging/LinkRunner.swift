import FilesinkiMerge
import FilesinkiModel
package import FilesinkiReconcile

/// What a link of a strategy says of three files.
package enum LinkOutcome: Sendable {
    /// One content was made of both; it is in this file. `by` names the merge.
    case merged(file: String, by: String)
    /// One side wins.
    case side(MergeFolder.Role)
    /// Both stay.
    case keepBoth
    /// The link does not answer, and why.
    case declined([String])
}

/// Asks the links that need the contents of both sides: merges, comparisons, and commands that
/// choose.
package struct LinkRunner: Sendable {
    /// A merge in memory takes no content larger than this, in bytes.
    package static let memoryLimit = 128 << 20

    /// How long a command of the user's may take.
    package var commandLimit: Duration

    package init(commandLimit: Duration = .seconds(60)) {
        self.commandLimit = commandLimit
    }

    /// - Throws: `Failure` where a file cannot be read or written; what a link cannot do is an
    ///   answer.
    package func ask(
        _ link: StrategyLink, _ question: MergeQuestion, in folder: MergeFolder
    ) throws -> LinkOutcome {
        switch link {
        case .merge(let merge):
            return try ContentMerger(commandLimit: commandLimit).merge(merge, question, in: folder)
        case .comparison(let comparison): return try compare(comparison, question, folder)
        case .command(let command):
            return try Chooser(command: command, limit: commandLimit)
                .choose(in: folder, path: question.path)
        case .choice, .end, .program: return .declined([])
        }
    }

    private func compare(
        _ comparison: Comparison, _ question: MergeQuestion, _ folder: MergeFolder
    ) throws -> LinkOutcome {
        guard let input = try question.input(from: folder, limit: Self.memoryLimit),
            let order = JSONComparison.compare(
                pointer: comparison.pointer, ours: input.ours, theirs: input.theirs)
        else { return .declined(["There is nothing comparable at '\(comparison.pointer)'."]) }
        switch order {
        case .equal: return .declined(["Both sides have the same at '\(comparison.pointer)'."])
        case .greater: return .side(comparison.isGreater ? .here : .there)
        case .lesser: return .side(comparison.isGreater ? .there : .here)
        }
    }
}
