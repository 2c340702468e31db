import CKernel
package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// The file `.filesinki/root` in a root, which holds the replica's id: without it a root is not
/// what it was, such as the empty folder over which a disk is mounted, and nothing missing in it
/// counts as deleted.
package struct RootMarker: Sendable {
    package enum Diagnosis: Hashable, Sendable {
        /// The marker holds the replica's id.
        case ok
        /// There is no marker.
        case missing
        /// The marker is that of another replica, or not understood.
        case other
    }

    private static let name = Array("root".utf8)
    private let root: RootFolder

    package init(root: RootFolder) { self.root = root }

    /// Looks whether the root is that of the replica.
    ///
    /// - Parameter replica: The replica's id, 16 bytes.
    package func check(_ replica: [UInt8]) throws(Failure) -> Diagnosis {
        let file = "\(RelativePath.stateFolder)/root"
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY
        guard let marker = FileHandle(fsk_open_beneath(root.descriptor.raw, file, flags, 0)) else {
            let error = SystemError.last
            if error.number == ENOENT || error.number == ENOTDIR { return .missing }
            throw error.failure("open the root's marker", file, of: .local)
        }
        do {
            let bytes = try marker.readAll(expecting: 256)
            return bytes == Self.content(replica) ? .ok : .other
        } catch { throw error.failure("read the root's marker", file, of: .local) }
    }

    /// Marks the root as the replica's, durably; makes `.filesinki` (0700) when it is missing.
    package func write(_ replica: [UInt8]) throws(Failure) {
        let state = Array(RelativePath.stateFolder.utf8)
        if mkdirat(root.descriptor.raw, RelativePath.stateFolder, 0o700) != 0, errno != EEXIST {
            throw SystemError.last.failure("create the state folder", state, of: .local)
        }
        let flags = O_RDONLY | O_DIRECTORY
        let raw = fsk_open_beneath(root.descriptor.raw, RelativePath.stateFolder, flags, 0)
        guard let folder = FileHandle(raw) else {
            throw SystemError.last.failure("open the state folder", state, of: .local)
        }
        do throws(SystemError) {
            try DurableFile.replace(
                Self.name, in: folder.raw, with: Self.content(replica))
        } catch {
            throw error.failure("mark the root", state, of: .local)
        }
    }

    private static func content(_ replica: [UInt8]) -> [UInt8] {
        Array("\(hexadecimal(replica))\n".utf8)
    }
}
