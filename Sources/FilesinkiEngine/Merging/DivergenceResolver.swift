package import FilesinkiModel
import FilesinkiReconcile

/// The contents that meet where both sides changed a file, or one of them deleted it.
package struct Divergence: Sendable {
    package var path: RelativePath
    /// What both sides started from; nil where there was nothing, or nobody has it any more.
    package var base: [UInt8]?
    /// What is in this replica; nil where it was deleted here.
    package var here: [UInt8]?
    /// What is committed; nil where it was deleted there.
    package var there: [UInt8]?
    /// Says which divergence it is: the same three contents have the same identity.
    package var identity: [ContentID]
}

/// What a resolver says of a divergence.
package enum DivergenceAnswer: Sendable, Equatable {
    /// One content was made of both.
    case merged([UInt8])
    case here
    case there
    /// The chain of rules goes on; why.
    case declined(String)
    /// Nobody can say yet: the path stays as it is on both sides, and a later run asks again.
    case postponed
}

/// Resolves conflicts by what a program knows of its own files, before the chain of rules is asked.
///
/// It is asked while the replica is locked, so it must not wait for anybody: what takes its time is
/// postponed, and asked again when the answer is there.
package protocol DivergenceResolver: Sendable {
    /// Whether the program knows the file at the path.
    func wants(_ path: RelativePath) -> Bool

    func resolve(_ divergence: Divergence) -> DivergenceAnswer
}

/// Rules that ask a program first.
struct ResolvingRules: StrategyRules {
    var rules: any StrategyRules
    var resolver: any DivergenceResolver

    func strategy(for path: RelativePath) -> Strategy {
        let strategy = rules.strategy(for: path)
        return resolver.wants(path) ? Strategy([.program] + strategy.links) : strategy
    }

    func onDelete(for path: RelativePath) -> OnDelete {
        resolver.wants(path) ? .ask : rules.onDelete(for: path)
    }

    func asksBeforeDeleting(_ path: RelativePath) -> Bool {
        resolver.wants(path) || rules.asksBeforeDeleting(path)
    }
}
