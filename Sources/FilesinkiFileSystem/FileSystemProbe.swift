import CKernel
package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// Determines the capabilities of a file system by trying them.
package struct FileSystemProbe: ~Copyable {
    private let folder: String
    private let names = ["one", "two", "case", "\u{E9}"]
    private let others = ["second", "fresh", "link"]

    /// - Parameter parent: The absolute path of a folder. A temporary folder is created in it.
    /// - Throws: `Failure` with code `io` when the folder is not writable.
    package init(in parent: String) throws(Failure) {
        folder = "\(parent)/probe-\(getpid())"
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw SystemError.last.failure("create a folder", parent, of: .local)
        }
    }

    deinit {
        for name in names + others { unlink(folder + "/" + name) }
        rmdir(folder)
    }

    /// Tries all capabilities.
    package func traits() throws(Failure) -> FileSystemTraits {
        for name in names { try make(name) }
        return FileSystemTraits(
            exchanges: swapNames(), renamesToFree: renameToFree(),
            links: link(folder + "/one", folder + "/second") == 0,
            symlinks: symlink("one", folder + "/link") == 0, foldsCase: isThere("CASE"),
            foldsUnicode: isThere("e\u{301}"), keepsModes: keepsMode())
    }

    /// The present time by the clock of the file system's host.
    package func time() throws(Failure) -> Timestamp {
        try make("one")
        guard let stamp = FileStamp(at: folder + "/one") else {
            throw SystemError.last.failure("examine a file", folder, of: .local)
        }
        return stamp.modified
    }

    private func make(_ name: String) throws(Failure) {
        _ = try NamedFile("\(folder)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, of: .local)
    }

    private func swapNames() -> Bool {
        fsk_rename(AT_FDCWD, folder + "/one", AT_FDCWD, folder + "/two", fsk_rename_exchange) == 0
    }

    /// Whether RENAME_NOREPLACE works and keeps an existing name.
    private func renameToFree() -> Bool {
        let (one, two) = (folder + "/one", folder + "/two")
        guard fsk_rename(AT_FDCWD, one, AT_FDCWD, folder + "/fresh", fsk_rename_new) == 0 else {
            return false
        }
        guard rename(folder + "/fresh", one) == 0 else { return false }
        return fsk_rename(AT_FDCWD, one, AT_FDCWD, two, fsk_rename_new) != 0 && errno == EEXIST
    }

    private func isThere(_ name: String) -> Bool { access(folder + "/" + name, F_OK) == 0 }

    private func keepsMode() -> Bool {
        let path = folder + "/one"
        var status = stat()
        return chmod(path, 0o640) == 0 && lstat(path, &status) == 0
            && status.st_mode & 0o777 == 0o640
    }
}
