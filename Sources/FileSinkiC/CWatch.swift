public import CFileSinki
import FileSinki
import FilesinkiCommands

/// A function of the caller's that is told of events, and the pointer that it wants.
private struct EventCaller: @unchecked Sendable {
    let changed: filesinki_event
    let context: UnsafeMutableRawPointer?

    func tell(_ event: [UInt8]) { changed(context, String(decoding: event, as: UTF8.self)) }
}

/// Starts a watch of a caller's.
private func watch(
    _ method: String, _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ changed: filesinki_event?, _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> OpaquePointer? {
    guard let root = root(sinki), let changed else {
        _ = missing("sinki, changed").tell(error)
        return nil
    }
    let text = parameters.map { Array(String(cString: $0).utf8) } ?? Array("{}".utf8)
    let caller = EventCaller(changed: changed, context: context)
    let started = wait { () async -> Result<ProcessWatch, CallError> in
        do throws(CallError) {
            return .success(try await root.watch(method, text) { caller.tell($0) })
        } catch {
            return .failure(error)
        }
    }
    switch started {
    case .success(.success(let watch)): return CObserver { await watch.end() }.pointer
    case .success(.failure(let failure)): _ = failure.error.tell(error, as: failure.number)
    case .failure(let failure): _ = failure.tell(error)
    }
    return nil
}

/// `kv.watch` of `filesinki rpc`.
@_cdecl("filesinki_kv_watch")
public func kvWatch(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?, _ changed: filesinki_event?,
    _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<filesinki_error>?
) -> OpaquePointer? { watch("kv.watch", sinki, parameters, changed, context, error) }

/// `rec.watch` of `filesinki rpc`.
@_cdecl("filesinki_rec_watch")
public func recWatch(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?, _ changed: filesinki_event?,
    _ context: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<filesinki_error>?
) -> OpaquePointer? { watch("rec.watch", sinki, parameters, changed, context, error) }
