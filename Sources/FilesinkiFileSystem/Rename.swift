import CKernel
import Glibc

/// Moves a name to one that must be free.
///
/// - Returns: Whether it was free.
func moveToFreeName(
    _ from: borrowing Descriptor, _ name: [UInt8], _ to: borrowing Descriptor, _ newName: [UInt8]
) throws(SystemError) -> Bool {
    let result = rename(from.raw, name, to.raw, newName, fsk_rename_new)
    if result == 0 { return true }
    let error = SystemError.last
    if error.number == EEXIST { return false }
    // File systems in user space often know no flags; a hard link never replaces a name either.
    guard error.number == EINVAL || error.number == ENOSYS else { throw error }
    let linked = name.withCString { old in
        newName.withCString { linkat(from.raw, old, to.raw, $0, 0) }
    }
    if linked == 0 {
        try from.unlink(name)
        return true
    }
    let second = SystemError.last
    if second.number == EEXIST { return false }
    throw second
}

/// Swaps what two names hold, in one step.
///
/// - Returns: Whether both were there.
func exchange(
    _ first: borrowing Descriptor, _ name: [UInt8], _ second: borrowing Descriptor,
    _ otherName: [UInt8]
) throws(SystemError) -> Bool {
    if rename(first.raw, name, second.raw, otherName, fsk_rename_exchange) == 0 { return true }
    let error = SystemError.last
    if error.number == ENOENT { return false }
    throw error
}

private func rename(
    _ from: Int32, _ name: [UInt8], _ to: Int32, _ newName: [UInt8], _ flags: UInt32
) -> Int32 {
    name.withCString { old in newName.withCString { fsk_rename(from, old, to, $0, flags) } }
}
