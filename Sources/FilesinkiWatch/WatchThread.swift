import CKernel
import FilesinkiModel
import FilesinkiSystem
import Glibc

/// The thread of a ``LocalWatch``: waits for events and handles them.
final class WatchThread {
    private let watch: LocalWatch
    private let tree: TreeWatch
    private var debouncer: Debouncer
    private let alarm = ClockAlarm()
    private var clock = ClockReading.now
    private var shortage: TreeWatch.Shortage?

    init(_ watch: LocalWatch, _ tree: TreeWatch, _ limits: Debouncer.Limits) {
        self.watch = watch
        self.tree = tree
        debouncer = Debouncer(limits)
        shortage = tree.shortage
    }

    func runLoop() {
        while true {
            wait()
            let request = watch.removeRequest()
            if request.isEnding { return }
            if let ignores = request.ignores { tree.ignores = ignores }
            if request.isRescanWanted {
                tree.rescan()
                watch.post(.rescanned)
            }
            collectChanges()
            postSignals()
            postClockJump()
            postShortage()
            let now = ClockReading.moment
            switch debouncer.removeDue(at: now) {
            case .changes(let changes): watch.post(.changes(changes))
            case .everything: watch.post(.everything(.flood))
            case nil: break
            }
            watch.passDeadline(at: now)
        }
    }

    /// Sleeps until an event or the next due time; without a timeout when nothing is due.
    private func wait() {
        var files = [watch.pipe.file, watch.signals.file, alarm.file, tree.file].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let due = [debouncer.next, watch.deadline].compactMap { $0 }.min()
        var timeout: Int32 = -1
        if let due {
            let left = max(.zero, due - ClockReading.moment)
            // Rounded up, so that the due time has passed afterwards.
            let milliseconds =
                left.components.seconds.multipliedReportingOverflow(by: 1000).partialValue
                + (left.components.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
            timeout = Int32(clamping: milliseconds)
        }
        _ = poll(&files, nfds_t(files.count), timeout)
        if files[0].revents != 0 { _ = watch.pipe.drain() }
        if files[2].revents != 0 { alarm.rearm() }
    }

    private func collectChanges() {
        let batch = tree.readChanges()
        let now = ClockReading.moment
        for change in batch.changes { debouncer.add(change, at: now) }
        if batch.isOverflown { debouncer.addEverything(at: now) }
        if batch.isUnmounted { watch.post(.everything(.unmount)) }
        if batch.isRootGone { watch.post(.rootGone) }
    }

    private func postSignals() {
        for signal in watch.signals.drain() { watch.post(.signal(Int32(signal))) }
    }

    private func postClockJump() {
        let present = ClockReading.now
        if let jump = clock.jump(to: present) { watch.post(.everything(.clock(jump))) }
        clock = present
    }

    private func postShortage() {
        guard tree.shortage != shortage else { return }
        shortage = tree.shortage
        watch.post(shortage.map(LocalNotice.shortage) ?? .noShortage)
    }
}
