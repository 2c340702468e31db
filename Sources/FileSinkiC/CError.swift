public import CFileSinki
import FileSinki
import Glibc

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
