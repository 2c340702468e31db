import FilesinkiModel
import FilesinkiReconcile

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
