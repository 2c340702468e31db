import FilesinkiEngine
import FilesinkiModel
import FilesinkiText
import FilesinkiWatch

/// Shows what a watch does: nothing while nothing happens.
final class WatchReporter: Sendable {
    private let console: Console
    private let hook: EventHook?

    init(_ console: Console, hook: EventHook?) {
        self.console = console
        self.hook = hook
    }

    func tell(_ notice: WatchNotice) async throws {
        switch notice {
        case .began(let folders): console.detail("Watching \(folders) folders.")
        case .ran(let report): try await show(report)
        case .away(let failure), .trouble(let failure):
            if console.outputOptions.isJSON {
                try console.output.json(failure.json(type: "waiting"))
            }
            console.complain(failure)
            console.say("The changes wait here; the watch tries again.")
        case .back:
            if console.outputOptions.isJSON { try console.output.json(["type": "back"]) }
            console.say("The watch goes on.")
        case .shortage(let shortage): console.complain(shortage.failure)
        case .rulesRead: console.detail("The rules were read anew.")
        case .lookingAtAll(let reason): console.detail(reason.sentence)
        }
    }

    /// Waits for the user's command, if it still runs.
    func finish() async {
        await hook?.finish()
        try? console.output.flush()
    }

    private func show(_ report: SyncReport) async throws {
        let events = report.steps.compactMap { WatchEvent($0, published: report.sequence) }
        let code = ExitCode(report)
        if console.outputOptions.isJSON {
            for event in events { try console.output.json(event.json) }
            try console.show(report.notices, type: "notice")
            try console.show(report.problems, type: "problem")
            try console.output.json(report.json(exit: code))
        } else {
            try console.show(report, exit: code)
            try console.output.flush()
        }
        if !events.isEmpty { await hook?.run(events) }
    }
}

extension TreeWatch.Shortage {
    /// What a person can do about it.
    fileprivate var failure: Failure {
        switch self {
        case .watches:
            Failure(
                .limit, "The kernel gives no more watches, so the tree is looked at now and then.",
                remedy: "Raise the limit: sysctl fs.inotify.max_user_watches=1048576, and write it "
                    + "to /etc/sysctl.d/filesinki.conf.")
        case .instances:
            Failure(
                .limit, "The kernel gives no watch, so the tree is looked at now and then.",
                remedy: "Raise the limit: sysctl fs.inotify.max_user_instances=1024, and write it "
                    + "to /etc/sysctl.d/filesinki.conf.")
        }
    }
}

extension LocalNotice.Reason {
    fileprivate var sentence: String {
        switch self {
        case .flood: "Many changes: everything is looked at."
        case .overflow: "Events were lost: everything is looked at."
        case .unmount: "A file system in the root was unmounted: everything is scanned."
        case .clock(.slept): "The machine slept: everything is looked at."
        case .clock(.wasSet): "The clock was set: everything is looked at."
        }
    }
}
