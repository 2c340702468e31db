package import FilesinkiModel

/// The device numbers that a scan found, and the folders whose known files were on another device.
///
/// A file system that is not mounted leaves an empty folder on the parent's device. Its files are
/// absent but not deleted. A device number alone proves nothing, because NFS, btrfs and others
/// assign a new one at each mount; files with an unchanged inode prove that only the number
/// changed.
struct DeviceNumbers: Sendable {
    /// A known device number and the present number of the same folder.
    struct Pair: Hashable, Sendable {
        var known: UInt64
        var present: UInt64
    }

    /// A known path that is missing from a folder on another device than the path was.
    struct Suspect: Sendable {
        /// The path to block: the folder, or the path itself if the folder's device has not
        /// changed.
        var place: RelativePath
        var pair: Pair
    }

    /// A folder on another device than its parent.
    struct MountPoint: Sendable {
        var path: RelativePath
        /// The former device of the folder; nil if unknown.
        var known: UInt64?
        var present: UInt64
    }

    /// Pairs of numbers of the same file system.
    var same: Set<Pair> = []
    var suspects: [Suspect] = []
    var mountPoints: [MountPoint] = []

    mutating func merge(_ other: DeviceNumbers) {
        same.formUnion(other.same)
        suspects += other.suspects
        mountPoints += other.mountPoints
    }

    /// Whether a known device number and a present one belong to the same file system.
    func areSame(_ known: UInt64, _ present: UInt64) -> Bool {
        known == present || same.contains(Pair(known: known, present: present))
    }

    /// Records a present file, which proves the present number of its known device.
    ///
    /// - Parameters:
    ///   - known: The file's last known stamp, if any.
    ///   - folder: The present number of the file's folder.
    mutating func recordPresent(_ stamp: FileStamp, known: FileStamp?, in folder: UInt64) {
        if stamp.device != folder { same.insert(Pair(known: stamp.device, present: folder)) }
        guard let known, known.device != folder, known.inode == stamp.inode,
            known.size == stamp.size, known.modified == stamp.modified,
            known.changed == stamp.changed
        else { return }
        same.insert(Pair(known: known.device, present: folder))
    }
}

extension FolderScan {
    /// Records a missing known path that was on another device than its folder is now.
    mutating func suspect(_ slot: Int, _ beside: UInt64?, _ visit: FolderVisit) {
        let row = known.rows[known.row(at: slot)]
        guard let device = knownDevice(of: row, beside), device != visit.device else { return }
        // The root's marker identifies the root, so files directly in it are on its device.
        if visit.path == nil, row.entry.kind != .directory { return }
        let place = beside == visit.device ? row.path : visit.path ?? row.path
        devices.suspects.append(
            .init(place: place, pair: .init(known: device, present: visit.device)))
    }

    /// The device of a folder's known files, preferably the present one; nil if unknown.
    func knownDevice(in visit: FolderVisit) -> UInt64? {
        var found: UInt64?
        for slot in visit.slots {
            let (kind, _, stamp) = known.facts(ofRow: known.row(at: slot))
            guard kind != .directory, let stamp else { continue }
            if stamp.device == visit.device { return stamp.device }
            found = stamp.device
        }
        return found ?? visit.knownDevice
    }

    /// The known device of a path; for a folder that of a file below it.
    private func knownDevice(of row: BaseRow, _ beside: UInt64?) -> UInt64? {
        guard row.entry.kind == .directory else { return row.stamp?.device ?? beside }
        var folders = [row.path]
        while let folder = folders.popLast() {
            for slot in known.slots(of: folder.bytes) {
                let child = known.rows[known.row(at: slot)]
                if child.entry.kind == .directory {
                    folders.append(child.path)
                } else if let stamp = child.stamp {
                    return stamp.device
                }
            }
        }
        return row.stamp?.device ?? beside
    }

    /// Blocks the paths whose file system is not mounted, with everything below them. Differences
    /// found there are dropped.
    mutating func blockUnmounted() {
        let suspects = devices.suspects.filter {
            !devices.areSame($0.pair.known, $0.pair.present)
        }
        let places = Set(suspects.map(\.place))
        for mount in devices.mountPoints where !mount.path.isAtOrInside(places) {
            if let known = mount.known, devices.areSame(known, mount.present) { continue }
            result.mountPoints.append(mount.path)
        }
        guard !places.isEmpty else { return }
        result.drop { $0.isAtOrInside(places) }
        for place in places where place.parent?.isAtOrInside(places) != true {
            result.blocked.append(place)
            result.problems.append(Problem(place, .unmounted(place)))
        }
    }
}

extension RelativePath {
    fileprivate func isAtOrInside(_ places: Set<RelativePath>) -> Bool {
        guard !places.isEmpty else { return false }
        return places.contains(self) || ancestors.contains(where: places.contains)
    }
}

extension Failure {
    /// The failure for a path whose file system is not mounted.
    package static func unmounted(_ path: RelativePath) -> Failure {
        Failure(
            .io, path: path.bytes,
            "The files here were on another file system, which is not mounted now.",
            remedy:
                "Mount it and run again. To delete the files everywhere, run filesinki delete -r.")
    }
}
