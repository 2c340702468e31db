import CKernel
package import FilesinkiModel
import Glibc

/// The file `.filesinki/root` in a root, which holds the replica's id: without it a root is not
/// what it was, such as the empty folder over which a disk is mounted, and nothing missing in it
/// counts as deleted.
package struct RootMarker: Sendable {
    package enum Finding: Hashable, Sendable {
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
    package func check(_ replica: [UInt8]) throws(Failure) -> Finding {
        let file = "\(RelativePath.stateFolder)/root"
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY
        guard let marker = Descriptor(fsk_open_beneath(root.descriptor.raw, file, flags, 0)) else {
            let error = SystemError.last
            if error.number == ENOENT || error.number == ENOTDIR { return .missing }
            throw error.failure("open the root's marker", Array(file.utf8))
        }
        do {
            let bytes = try marker.readAll(expecting: 256)
            return bytes == Self.content(replica) ? .ok : .other
        } catch { throw error.failure("read the root's marker", Array(file.utf8)) }
    }

    /// Marks the root as the replica's, durably; makes `.filesinki` (0700) when it is missing.
    package func write(_ replica: [UInt8]) throws(Failure) {
        let state = Array(RelativePath.stateFolder.utf8)
        if mkdirat(root.descriptor.raw, RelativePath.stateFolder, 0o700) != 0, errno != EEXIST {
            throw SystemError.last.failure("make the state folder", state)
        }
        let flags = O_RDONLY | O_DIRECTORY
        let raw = fsk_open_beneath(root.descriptor.raw, RelativePath.stateFolder, flags, 0)
        guard let folder = Descriptor(raw) else {
            throw SystemError.last.failure("open the state folder", state)
        }
        do { try Self.replace(in: folder, Self.content(replica)) } catch {
            throw error.failure("mark the root", state)
        }
    }

    private static func replace(
        in folder: borrowing Descriptor, _ bytes: [UInt8]
    ) throws(SystemError) {
        let temporary = name + Array(".new".utf8)
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC
        let raw = temporary.withCString { openat(folder.raw, $0, flags, 0o600) }
        guard let file = Descriptor(raw) else { throw .last }
        var failed: SystemError?
        bytes.withUnsafeBytes { bytes in
            do throws(SystemError) { try file.write(bytes) } catch { failed = error }
        }
        if let failed { throw failed }
        try file.sync()
        let moved = temporary.withCString { old in
            name.withCString { renameat(folder.raw, old, folder.raw, $0) }
        }
        guard moved == 0 else { throw .last }
        try folder.sync()
    }

    private static func content(_ replica: [UInt8]) -> [UInt8] {
        Array("\(hexadecimal(replica))\n".utf8)
    }
}
