/// What came of a run for some changes.
package struct ChangeReport: Sendable {
    package var report: SyncReport
    /// Whether there was nothing to do after all, so that nobody was asked and nothing noted.
    package var isIdle = false
    /// Whether the changes were too many, or too dangerous, to be looked at singly: this was a run of
    /// everything.
    package var isWhole = false
    /// Whether changes at the remote were met that have to wait for another run.
    package var hasMore = false

    /// The same without what ended the run, for that is said by itself.
    var withoutEnd: ChangeReport {
        var change = self
        change.report.away = nil
        change.report.stopped = nil
        return change
    }

    init(_ report: SyncReport) { self.report = report }
}
