public import CFileSinki
import Dispatch
import FileSinki
import FoundationEssentials

/// A function of the caller's, and the pointer that it wants.
private struct Caller: @unchecked Sendable {
    let changed: filesinki_changed
    let context: UnsafeMutableRawPointer?

    func tell(_ change: Change<Data>) {
        guard let data = change.item else { return changed(context, change.path, nil, 0) }
        // Also an empty content is something else than none.
        let bytes = Array(data) + [0]
        changed(context, change.path, bytes, data.count)
    }
}

/// An observation of a caller's.
private final class CObserver: Sendable {
    private let task: Task<Void, Never>
    private let ended = DispatchGroup()

    init(_ sinki: FileSinki, _ path: String, _ caller: Caller) {
        let ended = ended
        ended.enter()
        task = Task.detached {
            defer { ended.leave() }
            do throws(FileSinkiError) {
                var changes = sinki.changes(at: path).makeAsyncIterator()
                while let change = try await changes.next() {
                    if Task.isCancelled { return }
                    caller.tell(change)
                }
            } catch {
                // What makes no sense to try again: nobody is told any more.
            }
        }
    }

    func cancel() {
        task.cancel()
        ended.wait()
    }
}

/// Observes a file or a folder.
@_cdecl("filesinki_observe")
public func observe(
    _ sinki: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ changed: filesinki_changed?,
    _ context: UnsafeMutableRawPointer?
) -> OpaquePointer? {
    guard let sinki = opened(sinki), let path, let changed else { return nil }
    let observer = CObserver(
        sinki, String(cString: path), Caller(changed: changed, context: context))
    return OpaquePointer(Unmanaged.passRetained(observer).toOpaque())
}

/// Ends an observation.
@_cdecl("filesinki_observer_cancel")
public func cancelObserver(_ observer: OpaquePointer?) {
    guard let observer else { return }
    let taken = Unmanaged<CObserver>.fromOpaque(UnsafeRawPointer(observer)).takeRetainedValue()
    taken.cancel()
}
