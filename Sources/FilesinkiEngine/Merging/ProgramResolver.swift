package import FilesinkiModel
import FilesinkiReconcile

/// The contents of a conflict, as a program gets them that resolves conflicts of its own files.
package struct ConflictContents: Sendable {
    package var path: RelativePath
    /// What both sides started from; nil where there was nothing, or the content is not known any more.
    package var base: [UInt8]?
    /// What is in this replica; nil where it was deleted here.
    package var ours: [UInt8]?
    /// What is committed; nil where it was deleted there.
    package var theirs: [UInt8]?
    /// The identities of the three contents: equal for the same conflict.
    package var identity: [ContentID]
}

/// What a program says of a conflict.
package enum ProgramAnswer: Sendable, Equatable {
    /// One content was made of both.
    case merged([UInt8])
    case ours
    case theirs
    /// The next link of the chain is asked; why.
    case declined(String)
    /// The answer is not known yet: the path stays as it is on both sides, and a later run asks again.
    case postponed
}

/// Resolves conflicts by what a program knows of its own files, before the chain of rules is asked.
///
/// It is asked while the replica is locked, so it must not wait: what takes time is postponed, and
/// asked again when the answer is there.
package protocol ProgramResolver: Sendable {
    /// Whether the program resolves conflicts of the file at the path.
    func handles(_ path: RelativePath) -> Bool

    func resolve(_ conflict: ConflictContents) -> ProgramAnswer
}

/// Rules that ask a program first.
struct ProgramRules: StrategyRules {
    var rules: any StrategyRules
    var program: any ProgramResolver

    func strategy(for path: RelativePath) -> Strategy {
        let strategy = rules.strategy(for: path)
        return program.handles(path) ? Strategy([.program] + strategy.links) : strategy
    }

    func onDelete(for path: RelativePath) -> OnDelete {
        program.handles(path) ? .ask : rules.onDelete(for: path)
    }

    func asksBeforeDeleting(_ path: RelativePath) -> Bool {
        program.handles(path) || rules.asksBeforeDeleting(path)
    }
}
