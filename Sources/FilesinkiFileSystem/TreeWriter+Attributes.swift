import CKernel
package import FilesinkiModel
import FilesinkiSystem
import Glibc

extension TreeWriter {
    /// Sets the mode and time of a file or directory, or the time of a symlink. Changes only the
    /// inode that was checked, never a link's target.
    ///
    /// - Parameter expecting: What may be changed; for a directory only the inode of a stamp is
    ///   compared. A correct time is not set again, because that could hide a save of the same
    ///   moment.
    package func setAttributes(
        _ path: RelativePath, mode: UInt16, modified: Timestamp, expecting: Expectation
    ) throws(Failure) -> InstallOutcome {
        let folder = try root.openParent(of: path)
        let name = Array(path.name)
        probe(.begun)
        guard let expecting = try settled(expecting, at: path, in: folder) else {
            return .surprised
        }
        do {
            guard let found = try folder.liveStatus(of: name), found.kind != .special,
                try expecting.isMet(by: found, named: name, in: folder)
            else { return .surprised }
            probe(.allowed)
            if found.kind != .symlink {
                guard try setMode(of: name, in: folder, found, mode) else { return .surprised }
            }
            if found.stamp.modified != modified {
                guard try setTime(of: name, in: folder, found, modified) else { return .surprised }
            }
            guard let now = try folder.liveStatus(of: name), now.kind == found.kind,
                now.stamp.isSameInode(as: found.stamp)
            else { return .surprised }
            return .done(now)
        } catch { throw error.failure("set its mode and time", path) }
    }

    /// Sets the time of a directory, which changes whenever an entry is added or removed.
    package func setModified(
        ofDirectory path: RelativePath, _ modified: Timestamp
    ) throws(Failure) {
        let folder = try root.openParent(of: path)
        let name = Array(path.name)
        do {
            guard let found = try folder.status(of: name), found.kind == .directory else { return }
            _ = try setTime(of: name, in: folder, found, modified)
        } catch { throw error.failure("set its time", path) }
    }

    /// Sets permission bits on the inode that was found; false when the name has another inode now.
    func setMode(
        of name: [UInt8], in folder: borrowing FileHandle, _ found: FileStatus, _ mode: UInt16
    ) throws(SystemError) -> Bool {
        let mode = mode & 0o777
        if found.mode == mode { return true }
        guard let inode = try Self.open(name, in: folder, found) else { return false }
        // Through /proc, because fchmod rejects O_PATH, and only O_PATH opens unreadable files.
        guard chmod("/proc/self/fd/\(inode.descriptor.raw)", mode_t(mode)) == 0 else { throw .last }
        return true
    }

    private func setTime(
        of name: [UInt8], in folder: borrowing FileHandle, _ found: FileStatus,
        _ modified: Timestamp
    ) throws(SystemError) -> Bool {
        guard let inode = try Self.open(name, in: folder, found) else { return false }
        let times = [timespec(tv_sec: 0, tv_nsec: Int(fsk_time_omit)), modified.timespec]
        let flags = fsk_empty_path | AT_SYMLINK_NOFOLLOW
        guard utimensat(inode.descriptor.raw, "", times, flags) == 0 else { throw .last }
        return true
    }

    /// Opens the inode that was found without reading it; nil when the name has another inode now
    /// or its content has changed.
    private static func open(
        _ name: [UInt8], in folder: borrowing FileHandle, _ found: FileStatus
    ) throws(SystemError) -> OpenFile? {
        let flags = fsk_path_only | O_NOFOLLOW | O_CLOEXEC
        let raw = name.withCString { openat(folder.raw, $0, flags) }
        guard let file = FileHandle(raw) else {
            let error = SystemError.last
            if error.number == ENOENT { return nil }
            throw error
        }
        let now = try file.status()
        let isSame =
            found.kind == .directory
            ? now.stamp.isSameInode(as: found.stamp)
            : now.stamp.isSame(butForChangeOf: found.stamp)
        return isSame && now.kind == found.kind ? OpenFile(file) : nil
    }
}

extension Expectation {
    fileprivate func isMet(
        by status: FileStatus, named name: [UInt8], in folder: borrowing FileHandle
    ) throws(SystemError) -> Bool {
        guard status.kind == .directory else {
            guard allows(status) else { return false }
            return try judge(status, named: name, in: folder)
        }
        switch self {
        case .any: return true
        case .stamp(let stamp): return status.stamp.isSameInode(as: stamp)
        case .absent, .content, .link: return false
        }
    }
}

extension TreeWriter {
    /// Copies attributes that the store does not have from the replaced file to a staged file:
    /// owner, group, ACL and extended attributes, if this process may set them.
    ///
    /// Not copied: file capabilities and other attributes that vouch for the content.
    func keepAttributes(
        of site: Site, in folder: borrowing FileHandle, for staged: StagedFile, _ ours: FileStatus
    ) {
        guard ours.kind == .file else { return }
        guard let source = try? folder.open(site.name, fsk_path_only),
            let old = try? source.record(), old.isRegularFile,
            let target = try? staging.folder.open(staged.name, fsk_path_only),
            let new = try? target.record()
        else { return }
        Self.keepOwner(old, new, target)
        guard Self.keepExtended(source, target) else { return }
        // The group's permission bits are the mask of an ACL.
        _ = chmod(target.link, mode_t(ours.mode))
    }

    private static func keepOwner(_ old: stat, _ new: stat, _ target: borrowing FileHandle) {
        let keep = uid_t.max
        if old.st_uid != new.st_uid || old.st_gid != new.st_gid,
            fchownat(target.raw, "", old.st_uid, old.st_gid, fsk_empty_path) != 0,
            old.st_gid != new.st_gid
        {
            // Only root may change the owner; every user may set one of their groups.
            _ = fchownat(target.raw, "", keep, old.st_gid, fsk_empty_path)
        }
    }

    /// - Returns: Whether there was an ACL.
    private static func keepExtended(
        _ source: borrowing FileHandle, _ target: borrowing FileHandle
    ) -> Bool {
        let names = source.link.withCString { path in
            readAttribute {
                fsk_list_attributes(path, $0?.assumingMemoryBound(to: CChar.self), $1)
            }
        }
        var hadList = false
        for name in names.split(separator: 0) where isKept(name) {
            let value = source.link.withCString { path in
                name.withCString { name in readAttribute { fsk_get_attribute(path, name, $0, $1) } }
            }
            let isSet = name.withCString { name in
                value.withUnsafeBytes {
                    fsk_set_attribute(target.link, name, $0.baseAddress, $0.count)
                }
            }
            if isSet == 0, name.elementsEqual(accessList) { hadList = true }
        }
        return hadList
    }

    private static let accessList = Array("system.posix_acl_access".utf8)

    private static func isKept(_ name: some Collection<UInt8>) -> Bool {
        let text = String(decoding: name, as: UTF8.self)
        if ["user.", "trusted.", "btrfs."].contains(where: text.hasPrefix) { return true }
        return [
            "system.posix_acl_access", "system.nfs4_acl", "security.selinux", "security.SMACK64",
        ].contains(text)
    }

    /// Calls a function that fills a buffer of up to 64 KiB; nil when it fails.
    private static func readAttribute(
        _ call: (UnsafeMutableRawPointer?, Int) -> Int
    ) -> [UInt8] {
        let size = call(nil, 0)
        guard size > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
            filled = max(0, call(buffer.baseAddress, size))
        }
    }
}

extension FileHandle {
    /// A path to this inode, for calls that reject `O_PATH` descriptors.
    fileprivate var link: String { "/proc/self/fd/\(raw)" }
}
