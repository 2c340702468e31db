import CKernel
import FilesinkiModel
import FilesinkiSystem
import Glibc

extension TreeWriter {
    /// Gives a staged file what it does not get from the store, but the file has that it replaces: the
    /// owner and group, the ACL and the extended attributes, as far as this process may set them. What
    /// cannot be set is left as it is with a new file.
    ///
    /// Not kept are file capabilities and other attributes that vouch for the content.
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
        // An ACL holds the permission bits of the group as its mask.
        _ = chmod(target.link, mode_t(ours.mode))
    }

    private static func keepOwner(_ old: stat, _ new: stat, _ target: borrowing FileHandle) {
        let keep = uid_t.max
        if old.st_uid != new.st_uid || old.st_gid != new.st_gid,
            fchownat(target.raw, "", old.st_uid, old.st_gid, fsk_empty_path) != 0,
            old.st_gid != new.st_gid
        {
            // Only root gives files away; a group of one's own may be given by everybody.
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

    /// What a call gives that fills a buffer, which is 64 KiB at the most; nothing when it fails.
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
    /// A path to the very inode, for calls that do not take what was opened with `O_PATH`.
    fileprivate var link: String { "/proc/self/fd/\(raw)" }
}
