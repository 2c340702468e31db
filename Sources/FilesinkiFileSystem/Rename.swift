import CKernel
import FilesinkiSystem
import Glibc
import Synchronization

/// The calls that give a file another name. A test replaces them, to see what happens on a file
/// system that knows fewer of them.
struct NameCalls: Sendable {
    typealias Name = UnsafePointer<CChar>

    /// renameat2(2).
    var rename: @Sendable (Int32, Name, Int32, Name, UInt32) -> Int32 = {
        fsk_rename($0, $1, $2, $3, $4)
    }
    /// linkat(2), which makes a second name of a symlink itself.
    var link: @Sendable (Int32, Name, Int32, Name) -> Int32 = { linkat($0, $1, $2, $3, 0) }
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
    /// Whether a file system answers so that does not know a flag of renameat2(2): EINVAL by NFS, 9p,
    /// eCryptfs and libfuse 2, by SMB, exFAT and ntfs3 for an exchange.
    var isUnknownFlag: Bool {
        number == EINVAL || number == ENOSYS || number == EOPNOTSUPP
    }

    /// Whether a file system answers so that has no second names for files, or not for this one.
    var isNoLink: Bool { isUnknownFlag || number == EPERM || number == EMLINK }
}

/// What became of an attempt to swap two names.
enum Exchange {
    case done
    /// One of the names was free.
    case missing
    /// The file system cannot do it.
    case unsupported
}

extension Staging {
    /// Takes what is at a name of the tree into the staging folder. This needs nothing that a file
    /// system may lack: the name there is ours alone, see ``nextName()``.
    ///
    /// - Throws: `ENOENT` when nothing is there.
    func takeOut(
        _ folder: borrowing FileHandle, _ name: [UInt8], as aside: [UInt8]
    ) throws(SystemError) {
        guard calls.rename(folder.raw, name, self.folder.raw, aside) == 0 else { throw .last }
    }

    /// Moves a staged name to one of the tree that must be free.
    ///
    /// Where the file system cannot rename so that a taken name stays (RENAME_NOREPLACE), the name is
    /// made by a hard link, which never replaces one, and the staged name goes. Where there are no
    /// links either, and for a folder, the name is looked at and then renamed to: what is saved there
    /// between these two calls is replaced; a folder with something in it never is.
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

    /// Swaps a staged file with what is at a name of the tree, in one step.
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
        // Not asked again for each file.
        lacksExchange.store(true, ordering: .relaxed)
        return .unsupported
    }

    /// Renames something within the tree to a name that must be free.
    ///
    /// - Returns: Whether it was free; nil where the file system cannot see to that.
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

    /// Gives a file a second name.
    ///
    /// - Returns: Whether it was free; nil where the file cannot have two names.
    func link(
        _ from: Int32, _ name: [UInt8], _ to: Int32, _ newName: [UInt8]
    ) throws(SystemError) -> Bool? {
        if calls.link(from, name, to, newName) == 0 { return true }
        let error = SystemError.last
        if error.number == EEXIST { return false }
        if error.isNoLink { return nil }
        throw error
    }

    /// Renames a folder within the tree to a name that must be free, where no flag sees to that: at
    /// worst an empty folder is replaced.
    func renameFolder(
        _ from: Int32, _ name: [UInt8], _ to: borrowing FileHandle, _ newName: [UInt8]
    ) throws(SystemError) -> Bool {
        if try to.status(of: newName) != nil { return false }
        guard calls.rename(from, name, to.raw, newName) == 0 else { return try Self.isTaken(.last) }
        return true
    }

    /// - Returns: False, when a rename failed because something else has the name.
    private static func isTaken(_ error: SystemError) throws(SystemError) -> Bool {
        guard [EEXIST, ENOTEMPTY, ENOTDIR, EISDIR].contains(error.number) else { throw error }
        return false
    }
}
