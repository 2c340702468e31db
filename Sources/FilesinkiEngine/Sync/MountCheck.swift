import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel

/// Distinguishes a deletion from a file system that is not mounted, for paths that are scanned singly.
///
/// It has less evidence than a scan, see `DeviceNumbers`: with a file system that gets a new device number
/// at each mount, a path may stay blocked until the next scan.
struct MountCheck {
    private let base: BaseIndex
    /// The root's device when the base was seen; nil when that is not known.
    private let formerDevice: UInt64?
    private let rootDevice: UInt64
    /// Whether files have the device of their folder; not so on some overlay file systems.
    private let filesCount: Bool

    init(_ root: RootFolder, _ base: BaseIndex, formerDevice: UInt64?) throws {
        self.base = base
        self.formerDevice = formerDevice
        rootDevice = try root.status().stamp.device
        let folder = RelativePath(unchecked: Array(RelativePath.stateFolder.utf8))
        let marker = try root.status(folder.appending("root".utf8))
        filesCount = try marker?.stamp.device == root.status(folder)?.stamp.device
    }

    /// Whether a path that is not there was on another device than the nearest folder above it is.
    ///
    /// - Parameter device: The device of that folder; nil for the root.
    func isUnmounted(_ path: RelativePath, above device: UInt64?) -> Bool {
        let row = base.row(path)
        // What lies directly in the root is on its device: the root has its marker.
        if path.parent == nil, row?.entry.kind != .directory { return false }
        let present = device ?? rootDevice
        guard let known = knownDevice(path, row), known != present else { return false }
        return !(known == formerDevice && present == rootDevice)
    }

    private func knownDevice(_ path: RelativePath, _ row: BaseRow?) -> UInt64? {
        if filesCount || row?.entry.kind == .directory, let stamp = row?.stamp {
            return stamp.device
        }
        for folder in path.ancestors {
            if let stamp = base.row(folder)?.stamp { return stamp.device }
        }
        return nil
    }
}

extension Failure {
    /// A file system is mounted below the root.
    static func mountPoint(_ path: RelativePath) -> Failure {
        Failure(
            .mountPoint, path: path.bytes,
            "Another file system is mounted here: changes are sent from it, not written to it.",
            remedy: "To sync both ways, make it a replica of its own.")
    }
}
