public import CFileSinki
import Dispatch
import FileSinki
import FoundationEssentials
import Glibc
import Synchronization

/// Opens a root.
@_cdecl("filesinki_open")
public func openSinki(
    _ root: UnsafePointer<CChar>?, _ remote: UnsafePointer<CChar>?,
    _ device: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<filesinki_error>?
) -> OpaquePointer? {
    guard let root else {
        _ = missing("root").tell(error)
        return nil
    }
    let folder = URL(filePath: String(cString: root), directoryHint: .isDirectory)
    let (address, name) = (remote.map { String(cString: $0) }, device.map { String(cString: $0) })
    let result = wait { () throws(FileSinkiError) in
        try await FileSinki(root: folder, remote: address, device: name)
    }
    switch result {
    case .success(let sinki):
        return OpaquePointer(Unmanaged.passRetained(CRoot(sinki)).toOpaque())
    case .failure(let failure):
        _ = failure.tell(error)
        return nil
    }
}

/// Lets go of a root.
@_cdecl("filesinki_close")
public func closeSinki(_ sinki: OpaquePointer?) {
    guard let sinki else { return }
    Unmanaged<CRoot>.fromOpaque(UnsafeRawPointer(sinki)).release()
}

/// Saves bytes.
@_cdecl("filesinki_save")
public func saveBytes(
    _ sinki: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ bytes: UnsafePointer<UInt8>?,
    _ count: Int, _ merge: filesinki_merge?, _ context: UnsafeMutableRawPointer?,
    _ outcome: UnsafeMutablePointer<filesinki_outcome>?,
    _ final: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?,
    _ finalCount: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 {
    final?.pointee = nil
    finalCount?.pointee = 0
    guard let sinki = opened(sinki), let path else { return missing("sinki, path").tell(error) }
    let data = Data(UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : max(0, count)))
    let (name, merge) = (String(cString: path), bytesMerge(merge, context))
    let result = wait { () throws(FileSinkiError) in
        try await sinki.save(data, to: name, merge: merge)
    }
    switch result {
    case .success(let saved):
        outcome?.pointee = saved.number
        if let end = saved.final { giveOut(Array(end), final, finalCount) }
        return Int32(FILESINKI_OK)
    case .failure(let failure): return failure.tell(error)
    }
}

/// Loads bytes.
@_cdecl("filesinki_load")
public func loadBytes(
    _ sinki: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ merge: filesinki_merge?,
    _ context: UnsafeMutableRawPointer?,
    _ bytes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?,
    _ count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 {
    bytes?.pointee = nil
    count?.pointee = 0
    guard let sinki = opened(sinki), let path else { return missing("sinki, path").tell(error) }
    let (name, merge) = (String(cString: path), bytesMerge(merge, context))
    let result = wait { () throws(FileSinkiError) in
        try await sinki.load(from: name, merge: merge)
    }
    switch result {
    case .success(let data?):
        giveOut(Array(data), bytes, count)
        return Int32(FILESINKI_OK)
    case .success(nil): return absent(name).tell(error)
    case .failure(let failure): return failure.tell(error)
    }
}

/// Deletes a file.
@_cdecl("filesinki_delete")
public func deleteFile(
    _ sinki: OpaquePointer?, _ path: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 {
    guard let sinki = opened(sinki), let path else { return missing("sinki, path").tell(error) }
    let name = String(cString: path)
    switch wait({ () throws(FileSinkiError) in try await sinki.delete(name) }) {
    case .success(.absent): return absent(name).tell(error)
    case .success: return Int32(FILESINKI_OK)
    case .failure(let failure): return failure.tell(error)
    }
}

extension SaveOutcome {
    fileprivate var number: filesinki_outcome {
        switch self {
        case .stored: FILESINKI_STORED
        case .queued: FILESINKI_QUEUED
        case .uploaded: FILESINKI_UPLOADED
        case .merged: FILESINKI_MERGED
        case .kept: FILESINKI_KEPT
        case .keptBoth: FILESINKI_KEPT_BOTH
        }
    }
}

/// What stands behind a caller's pointer.
func opened(_ sinki: OpaquePointer?) -> FileSinki? { root(sinki)?.sinki }

/// The root behind a caller's pointer.
func root(_ sinki: OpaquePointer?) -> CRoot? {
    sinki.map { Unmanaged<CRoot>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
}

func missing(_ name: String) -> FileSinkiError {
    FileSinkiError(
        .usage, path: "", message: "An argument is null: \(name).", remedy: "Name a file in a root."
    )
}

private func absent(_ path: String) -> FileSinkiError {
    FileSinkiError(
        .notFound, path: path, message: "No such file.",
        remedy: "Save the file first.")
}

/// Blocks the caller's thread, which is none of ours, until the work is done.
func wait<Answer: Sendable>(
    _ body: @escaping @Sendable () async throws(FileSinkiError) -> Answer
) -> Result<Answer, FileSinkiError> {
    let done = DispatchSemaphore(value: 0)
    let result = Kept<Answer>()
    Task.detached {
        do throws(FileSinkiError) {
            result.keep(.success(try await body()))
        } catch {
            result.keep(.failure(error))
        }
        done.signal()
    }
    done.wait()
    return result.value
        ?? .failure(
            FileSinkiError(
                .io, path: "", message: "The callback gave no answer.", remedy: "Try again."))
}

/// What a task has found.
private final class Kept<Answer: Sendable>: Sendable {
    private let storage = Mutex<Result<Answer, FileSinkiError>?>(nil)

    var value: Result<Answer, FileSinkiError>? { storage.withLock { $0 } }

    func keep(_ value: Result<Answer, FileSinkiError>) { storage.withLock { $0 = value } }
}

extension FileSinkiError {
    /// What a function of the C interface returns for it: as the command line exits.
    var number: Int32 {
        switch code {
        case .notFound: Int32(FILESINKI_ABSENT)
        case .usage, .badPath, .exists: Int32(FILESINKI_USAGE)
        case .limit: Int32(FILESINKI_LIMIT)
        case .notAllowed, .wrongStore, .unfitStore: Int32(FILESINKI_NOT_ALLOWED)
        case .corrupt, .coding: Int32(FILESINKI_CORRUPT)
        case .away, .busy, .cancelled: Int32(FILESINKI_AWAY)
        default: Int32(FILESINKI_IO)
        }
    }

    /// Writes it where the caller wants it, and gives the number to return.
    func tell(_ target: UnsafeMutablePointer<filesinki_error>?) -> Int32 {
        tell(target, as: number)
    }

    /// As ``tell(_:)``, with another number.
    func tell(_ target: UnsafeMutablePointer<filesinki_error>?, as number: Int32) -> Int32 {
        guard let target else { return number }
        clearError(target)
        target.pointee = filesinki_error(
            code: number, name: strdup(code.rawValue), path: strdup(path),
            message: strdup(message), remedy: strdup(remedy))
        return number
    }
}

/// Frees the texts of an error.
@_cdecl("filesinki_error_clear")
public func clearError(_ error: UnsafeMutablePointer<filesinki_error>?) {
    guard let error else { return }
    let texts = [
        error.pointee.name, error.pointee.path, error.pointee.message, error.pointee.remedy,
    ]
    for text in texts { free(text) }
    error.pointee = filesinki_error()
}

/// Frees what was given out.
@_cdecl("filesinki_free")
public func freeBytes(_ bytes: UnsafeMutableRawPointer?) { free(bytes) }

/// Gives bytes out, to be freed by the caller.
func giveOut(
    _ bytes: [UInt8], _ target: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?,
    _ count: UnsafeMutablePointer<Int>?
) {
    count?.pointee = bytes.count
    guard let target else { return }
    // Also an empty content is something else than none.
    let copy = malloc(max(1, bytes.count))?.bindMemory(to: UInt8.self, capacity: bytes.count)
    copy?.update(from: bytes, count: bytes.count)
    target.pointee = copy
}
