public import CFileSinki
import FileSinki
import FilesinkiCommands
import FilesinkiModel
import FilesinkiNetwork
import FilesinkiSystem
import FoundationEssentials
import Glibc
import Synchronization

/// A root that a caller has opened: its files, and its keys and records, which are opened when they are used first.
final class CRoot: Sendable {
    let sinki: FileSinki
    private let known = Mutex<ProcessCalls?>(nil)

    init(_ sinki: FileSinki) { self.sinki = sinki }

    private func calls() async throws -> ProcessCalls {
        if let calls = known.withLock({ $0 }) { return calls }
        let remotes = NetworkRemotes(systemContext: .ofMachine) { name in
            getenv(name).map { String(cString: $0) }
        }
        let made = try await ProcessCalls(root: sinki.root.path(percentEncoded: false)) {
            try remotes.connect($0, $1)
        }
        return known.withLock { known in
            // Another thread may have been faster.
            let calls = known ?? made
            known = calls
            return calls
        }
    }

    /// Calls a method of `filesinki rpc`.
    func call(_ method: String, _ parameters: [UInt8]) async throws(CallError) -> [UInt8] {
        try await withCallErrors { try await calls().call(method, parameters) }
    }

    /// Starts a method of `filesinki rpc` that goes on.
    func watch(
        _ method: String, _ parameters: [UInt8], _ event: @escaping @Sendable ([UInt8]) -> Void
    ) async throws(CallError) -> ProcessWatch {
        try await withCallErrors { try await calls().watch(method, parameters, event) }
    }

    private func withCallErrors<Answer>(
        _ body: () async throws -> Answer
    ) async throws(CallError) -> Answer {
        do {
            return try await body()
        } catch let failure as ProcessCalls.CallFailure {
            throw CallError(failure)
        } catch let failure as Failure {
            throw CallError(failure)
        } catch {
            throw CallError(Failure(.io, "\(error)", remedy: "Try again."))
        }
    }
}

/// Why a call of C has no result.
struct CallError: Error {
    let number: Int32
    let error: FileSinkiError

    init(_ failure: ProcessCalls.CallFailure) {
        number = failure.exitCode
        error = FileSinkiError(
            FileSinkiError.Code(rawValue: failure.code), path: failure.path,
            message: failure.message, remedy: failure.remedy)
    }

    init(_ failure: Failure) {
        error = FileSinkiError(
            FileSinkiError.Code(rawValue: failure.code.description),
            path: String(decoding: failure.path, as: UTF8.self), message: failure.message,
            remedy: failure.remedy)
        number = error.number
    }
}

/// A caller's call of a method.
func call(
    _ method: String, _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 {
    result?.pointee = nil
    guard let root = root(sinki) else { return missing("sinki").tell(error) }
    let text = parameters.map { Array(String(cString: $0).utf8) } ?? Array("{}".utf8)
    let answer = wait { () async -> Result<[UInt8], CallError> in
        do throws(CallError) { return .success(try await root.call(method, text)) } catch {
            return .failure(error)
        }
    }
    switch answer {
    case .success(.success(let bytes)):
        result?.pointee = strdup(String(decoding: bytes, as: UTF8.self))
        return Int32(FILESINKI_OK)
    case .success(.failure(let failure)): return failure.error.tell(error, as: failure.number)
    case .failure(let failure): return failure.tell(error)
    }
}

/// `kv.get` of `filesinki rpc`.
@_cdecl("filesinki_kv_get")
public func kvGet(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("kv.get", sinki, parameters, result, error) }

/// `kv.set` of `filesinki rpc`.
@_cdecl("filesinki_kv_set")
public func kvSet(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("kv.set", sinki, parameters, result, error) }

/// `kv.delete` of `filesinki rpc`.
@_cdecl("filesinki_kv_delete")
public func kvDelete(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("kv.delete", sinki, parameters, result, error) }

/// `kv.list` of `filesinki rpc`.
@_cdecl("filesinki_kv_list")
public func kvList(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("kv.list", sinki, parameters, result, error) }

/// `kv.export` of `filesinki rpc`.
@_cdecl("filesinki_kv_export")
public func kvExport(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("kv.export", sinki, parameters, result, error) }

/// `kv.log` of `filesinki rpc`.
@_cdecl("filesinki_kv_log")
public func kvLog(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("kv.log", sinki, parameters, result, error) }

/// `kv.quota` of `filesinki rpc`.
@_cdecl("filesinki_kv_quota")
public func kvQuota(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("kv.quota", sinki, parameters, result, error) }

/// `kv.status` of `filesinki rpc`.
@_cdecl("filesinki_kv_status")
public func kvStatus(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("kv.status", sinki, parameters, result, error) }

/// `kv.sync` of `filesinki rpc`.
@_cdecl("filesinki_kv_sync")
public func kvSync(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("kv.sync", sinki, parameters, result, error) }

/// `rec.get` of `filesinki rpc`.
@_cdecl("filesinki_rec_get")
public func recGet(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.get", sinki, parameters, result, error) }

/// `rec.save` of `filesinki rpc`.
@_cdecl("filesinki_rec_save")
public func recSave(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.save", sinki, parameters, result, error) }

/// `rec.export` of `filesinki rpc`.
@_cdecl("filesinki_rec_export")
public func recExport(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.export", sinki, parameters, result, error) }

/// `rec.query` of `filesinki rpc`.
@_cdecl("filesinki_rec_query")
public func recQuery(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.query", sinki, parameters, result, error) }

/// `rec.delete` of `filesinki rpc`.
@_cdecl("filesinki_rec_delete")
public func recDelete(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.delete", sinki, parameters, result, error) }

/// `rec.batch` of `filesinki rpc`.
@_cdecl("filesinki_rec_batch")
public func recBatch(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.batch", sinki, parameters, result, error) }

/// `rec.changes` of `filesinki rpc`.
@_cdecl("filesinki_rec_changes")
public func recChanges(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.changes", sinki, parameters, result, error) }

/// `rec.log` of `filesinki rpc`.
@_cdecl("filesinki_rec_log")
public func recLog(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.log", sinki, parameters, result, error) }

/// `rec.status` of `filesinki rpc`.
@_cdecl("filesinki_rec_status")
public func recStatus(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.status", sinki, parameters, result, error) }

/// `rec.sync` of `filesinki rpc`.
@_cdecl("filesinki_rec_sync")
public func recSync(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.sync", sinki, parameters, result, error) }
