import CKernel
import Glibc

@testable import FilesinkiFileSystem

/// What a file system can do when it gives a file another name. All of them are played by this one,
/// which refuses what they do not know.
enum NameAbility: String, CaseIterable, Sendable {
    case all
    /// SMB, exFAT, ntfs3.
    case noExchange
    /// NFS, 9p, eCryptfs, libfuse 2.
    case noFlags
    /// Some file systems in user space.
    case noFlagsNoLinks

    var calls: NameCalls { limiting(NameCalls()) }

    func limiting(_ calls: NameCalls) -> NameCalls {
        var limited = calls
        let known: UInt32 =
            switch self {
            case .all: fsk_rename_new | fsk_rename_exchange
            case .noExchange: fsk_rename_new
            case .noFlags, .noFlagsNoLinks: 0
            }
        limited.rename = { from, name, to, newName, flags in
            guard flags & ~known == 0 else {
                errno = EINVAL
                return -1
            }
            return calls.rename(from, name, to, newName, flags)
        }
        if self == .noFlagsNoLinks {
            limited.link = { _, _, _, _ in
                errno = EPERM
                return -1
            }
        }
        return limited
    }
}
