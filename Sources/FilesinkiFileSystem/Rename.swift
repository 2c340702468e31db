import CKernel
import FilesinkiSystem
import Glibc
import Synchronization

/// The system calls that rename, link and sync names. Tests replace them to simulate file systems
/// that lack some, and to see what is on disk when.
struct NameCalls: Sendable {
    typealias Name = UnsafePointer<CChar>

    /// renameat2(2).
    var rename: @Sendable (Int32, Name, Int32, Name, UInt32) -> Int32 = {
        fsk_rename($0, $1, $2, $3, $4)
    }
    /// linkat(2), without following a symlink.
    var link: @Sendable (Int32, Name, Int32, Name) -> Int32 = { linkat($0, $1, $2, $3, 0) }
    /// fsync(2) of a folder.
    var sync: @Sendable (borrowing FileHandle) throws(SystemError) -> Void = {
        (folder: borrowing FileHandle) throws(SystemError) in try folder.syncFolder()
    }
}

extension NameCalls {
    func rename(
        _ from: Int32, _ name: [UInt8], _ to: Int32, _ newName: [UInt8], _ flags: UInt32 = 0
    ) -> Int32 {
        name.withCString { old in newName.withCString { rename(from, old, to, $0, flags) } }
    }

    func link(_ from: Int32, _ name: [UInt8], _ to: Int32, _ newName: [UInt8]) -> Int32 {
        name.withCString { old in newName.withCString { link(from, old, to, $0) } }
    }
}

extension SystemError {
    /// Whether the error means that the file system lacks a flag of renameat2(2): EINVAL from NFS,
    /// 9p, eCryptfs and libfuse 2; from SMB, exFAT and ntfs3 for an exchange.
    var isUnknownFlag: Bool {
        number == EINVAL || number == ENOSYS || number == EOPNOTSUPP
    }

    /// Whether the error means that the file system cannot link this file.
    var isNoLink: Bool { isUnknownFlag || number == EPERM || number == EMLINK }
}

/// The result of swapping two names.
enum Exchange {
    case done
    /// One of the names does not exist.
    case missing
    /// The file system cannot exchange names.
    case unsupported
}

extension Staging {
    /// Moves a name of the tree into the staging folder. A plain rename suffices, because the
    /// staged name is unique; see ``nextName()``.
    ///
    /// - Throws: `ENOENT` when the name does not exist.
    func takeOut(
        _ folder: borrowing FileHandle, _ name: [UInt8], as aside: [UInt8]
    ) throws(SystemError) {
        guard calls.rename(folder.raw, name, self.folder.raw, aside) == 0 else { throw .last }
    }

    /// Moves a staged name to a free name of the tree.
    ///
    /// Without RENAME_NOREPLACE the name is made by a hard link, which never replaces a file, and
    /// the staged name is removed. Without links, and for a folder, the name is checked and then
    /// renamed to: a save between these two calls is replaced, but never a folder that is not
    /// empty.
    ///
    /// - Returns: Whether the name was free.
    func place(
        _ staged: [UInt8], at name: [UInt8], in folder: borrowing FileHandle
    ) throws(SystemError) -> Bool {
        if let isFree = try renameToFree(self.folder.raw, staged, folder.raw, name) {
            return isFree
        }
        if let isFree = try link(self.folder.raw, staged, folder.raw, name) {
            if isFree { try self.folder.unlink(staged) }
            return isFree
        }
        if try folder.status(of: name) != nil { return false }
        guard calls.rename(self.folder.raw, staged, folder.raw, name) == 0 else {
            return try Self.isTaken(.last)
        }
        return true
    }

    /// Exchanges a staged file with a name of the tree atomically.
    func exchange(
        _ staged: [UInt8], with name: [UInt8], in folder: borrowing FileHandle
    ) throws(SystemError) -> Exchange {
        if lacksExchange.load(ordering: .relaxed) { return .unsupported }
        if calls.rename(self.folder.raw, staged, folder.raw, name, fsk_rename_exchange) == 0 {
            return .done
        }
        let error = SystemError.last
        if error.number == ENOENT { return .missing }
        guard error.isUnknownFlag else { throw error }
        // Remembered, so that it is not tried for each file.
        lacksExchange.store(true, ordering: .relaxed)
        return .unsupported
    }

    /// Renames within the tree to a free name.
    ///
    /// - Returns: False if the name exists; nil when the file system cannot ensure that it is
    ///   free.
    func renameToFree(
        _ from: Int32, _ name: [UInt8], _ to: Int32, _ newName: [UInt8]
    ) throws(SystemError) -> Bool? {
        if lacksFreeRename.load(ordering: .relaxed) { return nil }
        if calls.rename(from, name, to, newName, fsk_rename_new) == 0 { return true }
        let error = SystemError.last
        if error.number == EEXIST { return false }
        guard error.isUnknownFlag else { throw error }
        lacksFreeRename.store(true, ordering: .relaxed)
        return nil
    }

    /// Adds a hard link.
    ///
    /// - Returns: False if the name exists; nil when the file cannot be linked.
    func link(
        _ from: Int32, _ name: [UInt8], _ to: Int32, _ newName: [UInt8]
    ) throws(SystemError) -> Bool? {
        if calls.link(from, name, to, newName) == 0 { return true }
        let error = SystemError.last
        if error.number == EEXIST { return false }
        if error.isNoLink { return nil }
        throw error
    }

    /// Renames a folder within the tree to a free name without a flag that ensures it: at worst an
    /// empty folder is replaced.
    func renameFolder(
        _ from: Int32, _ name: [UInt8], _ to: borrowing FileHandle, _ newName: [UInt8]
    ) throws(SystemError) -> Bool {
        if try to.status(of: newName) != nil { return false }
        guard calls.rename(from, name, to.raw, newName) == 0 else { return try Self.isTaken(.last) }
        return true
    }

    /// - Returns: False when the rename failed because the name exists.
    private static func isTaken(_ error: SystemError) throws(SystemError) -> Bool {
        guard [EEXIST, ENOTEMPTY, ENOTDIR, EISDIR].contains(error.number) else { throw error }
        return false
    }
}
