package import FilesinkiModel
import FilesinkiReconcile
package import FilesinkiWatch

/// What a watch is asked to do.
package struct WatchOptions: Sendable {
    /// When changes have come to rest.
    package var settling = Debouncer.Limits()
    /// When to look without having heard anything, and the pauses after failures.
    package var scheduler = WatchScheduler.Limits()
    /// How often the remote is asked although it told nothing.
    package var poll = Duration.seconds(30)
    /// Bounds in place of the system's own, for tests.
    package var bounds = TreeWatch.Bounds()
    /// What each run is asked to do.
    package var sync = SyncOptions()

    package init() {}
}

/// What a person or a program may want to know of a watch.
package enum WatchNotice: Sendable {
    /// Everything is heard of from now on; so many folders are watched.
    case began(folders: Int)
    /// A run that did something, or has to say something that was not said before.
    case ran(SyncReport)
    /// The remote is away, or another run at work; the watch tries again.
    case away(Failure)
    /// The remote is back.
    case back
    /// A run failed; the watch tries again.
    case trouble(Failure)
    /// Not all of the tree is heard of, so it is looked at now and then.
    case shortage(TreeWatch.Shortage)
    /// The rules were read anew.
    case rulesRead
    /// Everything is looked at, and why.
    case lookingAtAll(LocalNotice.Reason)
}

/// What a watch has said already: what stays as it is, such as an open conflict or a file that may not
/// be read, is said once and not after each run.
struct WatchMemory: Sendable {
    private var said: Set<String> = []
    private static let maximum = 10_000

    /// The report without what was said before; nil when nothing is left.
    ///
    /// - Parameter isWhole: Whether the run looked at everything. What it does not say holds no more,
    ///   and is said again when it comes back.
    mutating func news(of full: SyncReport, isWhole: Bool) -> SyncReport? {
        var report = full
        var standing: Set<String> = []
        report.steps.removeAll { step in
            switch step.action {
            case .agree: return true
            case .leave, .undecided, .skip: return !isNew(step.description, &standing)
            case .publish, .take, .both: return false
            }
        }
        report.problems.removeAll { !isNew("\($0.path): \($0.failure)", &standing) }
        report.notices.removeAll { !isNew("\($0.path): \($0.failure)", &standing) }
        if isWhole { said = standing } else { said.formUnion(standing) }
        if said.count > Self.maximum { said = [] }
        let isEmpty = report.steps.isEmpty && report.problems.isEmpty && report.notices.isEmpty
        return isEmpty ? nil : report
    }

    private func isNew(_ text: String, _ standing: inout Set<String>) -> Bool {
        standing.insert(text)
        return !said.contains(text)
    }
}
