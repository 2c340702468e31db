import CKernel
import FilesinkiModel
import Glibc
import Synchronization

extension LocalWatch {
    /// What the thread was asked for.
    struct Order {
        var isEnding: Bool
        var isRescanWanted: Bool
        var ignores: (@Sendable (RelativePath, Bool) -> Bool)?
    }

    func takeOrder() -> Order {
        state.withLock { state in
            let order = Order(
                isEnding: state.isEnding, isRescanWanted: state.isRescanWanted,
                ignores: state.ignores)
            state.isRescanWanted = false
            state.ignores = nil
            return order
        }
    }

    var deadline: Duration? { state.withLock { $0.deadline } }

    /// From now on these signals end nothing: they are told as notices.
    package func take(signals numbers: [Int32]) {
        for number in numbers { _ = fsk_report_signal(number, signals.signalFile) }
    }

    /// Gives signals their usual effect again.
    package func giveBack(signals numbers: [Int32]) {
        for number in numbers { _ = fsk_report_signal(number, -1) }
    }

    /// A thread of its own: those of tasks and queues are few, and this one mostly sleeps.
    func startThread(_ body: sending @escaping () -> Void) throws(Failure) {
        let work = Unmanaged.passRetained(ThreadBody(body))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                if let argument {
                    Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
                }
                return nil
            }, work.toOpaque())
        guard status == 0 else {
            work.release()
            throw Failure(
                .io, "The watch could not begin: no thread, error \(status).",
                remedy: "Raise the limit of processes (ulimit -u).")
        }
        pthread_detach(thread)
    }
}

private final class ThreadBody {
    let run: () -> Void

    init(_ run: @escaping () -> Void) { self.run = run }
}
