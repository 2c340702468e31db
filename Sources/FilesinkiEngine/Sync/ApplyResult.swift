import FilesinkiFileSystem
import FilesinkiModel

/// What became of one write.
enum TaskOutcome: Sendable {
    /// Done; the stamp of what is now there, nil where nothing is.
    case done(FileStamp?)
    /// Something else was found than the plan saw.
    case surprised

    /// - Parameters:
    ///   - leaves: Whether something is at the path afterwards.
    ///   - isWinner: Whether what was there before has become a conflict copy: then whoever has put
    ///     another file over it a moment later has edited the winner. Otherwise that may be an edit of
    ///     what was there before, and both are reconciled.
    init(_ outcome: InstallOutcome, leaves: Bool = true, isWinner: Bool = false) {
        switch outcome {
        case .done(let status): self = .done(leaves ? status.stamp : nil)
        case .overtaken(let status): self = isWinner ? .done(status.stamp) : .surprised
        case .surprised: self = .surprised
        }
    }
}

/// What became of the steps that write here.
struct ApplyResult: Sendable {
    /// Steps that are done, with the stamp of what is now there; a removal has none.
    var done: [RelativePath: FileStamp?] = [:]
    /// Paths where something else was found than the plan saw: to be looked at again.
    var surprised: [RelativePath] = []
    /// Paths that can be reached once this round is done.
    var deferred: [RelativePath] = []
    var problems: [Problem] = []
    /// Paths whose step, and those of all below, wait for another run.
    var held: [RelativePath] = []
    /// Plain bytes written.
    var bytes: Int64 = 0

    mutating func add(_ other: ApplyResult) {
        done.merge(other.done) { $1 }
        surprised += other.surprised
        deferred += other.deferred
        problems += other.problems
        bytes += other.bytes
    }
}
