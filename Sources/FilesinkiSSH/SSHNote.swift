import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Glibc

/// A file of a replica that says that its host has no filesinki, so that later runs make one connection, and
/// not one to ask for it and a second one for SFTP.
///
/// Only a saving: a file that cannot be read says nothing, and one that cannot be written is left out.
struct SSHNote: Sendable {
    let path: String

    /// What the file has for an address.
    private static func text(_ address: SSHAddress) -> String {
        """
        # This host has no filesinki, so SFTP is used. Written by filesinki; to ask the host again, delete
        # this file, or run filesinki remote check.
        \(address.text)

        """
    }

    func hasNoFilesinki(at address: SSHAddress) -> Bool {
        guard let bytes = try? PrivateFile(path).read() else { return false }
        return bytes.elementsEqual(Self.text(address).utf8)
    }

    func noteNoFilesinki(at address: SSHAddress) {
        // Of a replica that is not there yet, or not any more.
        guard let end = path.lastIndex(of: "/"), access(String(path[..<end]), F_OK) == 0 else {
            return
        }
        try? PrivateFile(path).replace(with: Array(Self.text(address).utf8))
    }

    func forget() { unlink(path) }
}
