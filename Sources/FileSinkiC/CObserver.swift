public import CFileSinki
import Dispatch
import FileSinki
import FoundationEssentials
import Glibc

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
final class CObserver: Sendable {
    private let task: Task<Void, Never>
    private let ended = DispatchGroup()

    /// - Parameter body: What goes on until the observation is cancelled.
    init(_ body: @escaping @Sendable () async -> Void) {
        let ended = ended
        ended.enter()
        task = Task.detached {
            await body()
            ended.leave()
        }
    }

    /// Observes files.
    fileprivate convenience init(_ sinki: FileSinki, _ path: String, _ caller: Caller) {
        self.init {
            do throws(FileSinkiError) {
                var changes = sinki.changes(at: path).makeAsyncIterator()
                while let change = try await changes.next() {
                    if Task.isCancelled { return }
                    caller.tell(change)
                }
            } catch {
                // A failure that a retry cannot mend ends the observation.
            }
        }
    }

    /// The caller's pointer, which keeps it.
    var pointer: OpaquePointer { OpaquePointer(Unmanaged.passRetained(self).toOpaque()) }

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
    return observer.pointer
}

/// Ends an observation.
@_cdecl("filesinki_observer_cancel")
public func cancelObserver(_ observer: OpaquePointer?) {
    guard let observer else { return }
    let taken = Unmanaged<CObserver>.fromOpaque(UnsafeRawPointer(observer)).takeRetainedValue()
    taken.cancel()
}

/// A pointer of the caller's, which only the caller uses.
struct CallerPointer: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer?
}

/// The merge of a caller's function; nil for the rules of the root.
func bytesMerge(
    _ merge: filesinki_merge?, _ context: UnsafeMutableRawPointer?
) -> FileSinki.BytesMerge? {
    guard let merge else { return nil }
    let caller = CallerPointer(pointer: context)
    return { here, there, base in
        callMerge(merge, caller, Array(here), Array(there), base.map { Array($0) })
    }
}

private func callMerge(
    _ merge: filesinki_merge, _ caller: CallerPointer, _ here: [UInt8], _ there: [UInt8],
    _ base: [UInt8]?
) -> Data? {
    var result: UnsafeMutablePointer<UInt8>?
    var count = 0
    let code = (base ?? []).withUnsafeBufferPointer { baseBytes in
        // An empty array has no address, and null says that there is no base.
        let nothing: [UInt8] = [0]
        return nothing.withUnsafeBufferPointer { spare in
            merge(
                caller.pointer, here, here.count, there, there.count,
                base == nil ? nil : baseBytes.baseAddress ?? spare.baseAddress, baseBytes.count,
                &result, &count)
        }
    }
    defer { free(result) }
    guard code == 0 else { return nil }
    return Data(UnsafeBufferPointer(start: result, count: result == nil ? 0 : count))
}
