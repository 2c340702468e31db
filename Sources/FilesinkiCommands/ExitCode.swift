import FilesinkiEngine
import FilesinkiModel

/// What the process tells the shell. This file is the only place where failures become numbers; the
/// numbers are those of `Docs/CommandLine.md`.
package enum ExitCode: Int32, Sendable, CaseIterable {
    /// Done. For `save` and `delete`: done here, and published or queued.
    case done = 0
    /// A negative answer: not found, differs, none.
    case negative = 1
    /// A bad argument, rule or setting.
    case usage = 2
    /// A conflict was left for a person, a conflict copy was made in this run, or something was withheld that a person has to
    /// decide about; nothing is lost.
    case conflict = 3
    /// The local file system refused.
    case io = 4
    /// Some paths failed, the rest is done.
    case partial = 5
    /// A limit: quota, size, too many deletions.
    case limit = 6
    /// Not allowed, or not the store it was.
    case notAllowed = 7
    /// Bytes are not what their hash or format says.
    case corrupt = 8
    /// The log no longer reaches back to a change token.
    case tokenExpired = 9
    /// The remote is away or busy; the work is kept, run again.
    case away = 75
    /// Stopped by SIGINT.
    case interrupted = 130
    /// Stopped by SIGTERM.
    case terminated = 143

    /// The exit code of a run that ended with `error`. An error that is not a ``Failure`` counts as local I/O.
    package init(_ error: any Error) {
        self = (error as? Failure).map { Self.codes[$0.code] ?? .io } ?? .io
    }

    private static let codes: [Failure.Code: ExitCode] = [
        .notFound: .negative, .differs: .negative, .exists: .negative,
        .usage: .usage, .badPath: .usage,
        .io: .io,
        .changing: .partial,
        .full: .limit, .limit: .limit,
        .notAllowed: .notAllowed, .wrongStore: .notAllowed, .unfitStore: .notAllowed,
        .corrupt: .corrupt, .newerFormat: .corrupt,
        .tokenExpired: .tokenExpired,
        .away: .away, .busy: .away,
        .interrupted: .interrupted,
    ]
}

extension ExitCode {
    /// The exit code with which a failed run is recorded; nil for one that is not: a bad argument is no run.
    static func recorded(_ failure: Failure) -> ExitCode? {
        let code = ExitCode(failure)
        return code == .usage || code == .negative ? nil : code
    }

    /// The order by which a command about several replicas exits, the worst first: what needs a person
    /// before what a later run may mend, and that before a negative answer.
    static let worstFirst: [ExitCode] = [
        .terminated, .interrupted, .corrupt, .notAllowed, .io, .limit, .tokenExpired, .usage, .away,
        .partial, .conflict, .negative, .done,
    ]

    /// The worse of two.
    func worse(_ other: ExitCode) -> ExitCode {
        Self.worstFirst.first { $0 == self || $0 == other } ?? self
    }

    /// The exit code of a run that ended with a report. Of several that fit, the one that a person
    /// has to know first.
    init(_ report: SyncReport) {
        if let away = report.away {
            self = ExitCode(away)
        } else if let stopped = report.stopped ?? report.refusal {
            self = ExitCode(stopped)
        } else if !report.hasRemote {
            self = .negative
        } else if !report.problems.isEmpty {
            self = .partial
        } else if !report.conflicts.isEmpty || !report.copies.isEmpty || !report.withheld.isEmpty {
            self = .conflict
        } else {
            self = .done
        }
    }

    /// The exit code of a command about one path, which is done when its change waits here.
    ///
    /// - Parameter isWaiting: Whether a change that only waits is not enough for the user.
    init(queueing report: SyncReport, isWaiting: Bool) {
        let waits = report.away != nil || !report.hasRemote
        let onlyWaits = waits && report.problems.isEmpty
        guard onlyWaits, !isWaiting else {
            self.init(report)
            return
        }
        let isDone =
            report.conflicts.isEmpty && report.copies.isEmpty && report.withheld.isEmpty
        self = isDone ? .done : .conflict
    }
}
