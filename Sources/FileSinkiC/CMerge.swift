import CFileSinki
import FileSinki
import FoundationEssentials
import Glibc

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
