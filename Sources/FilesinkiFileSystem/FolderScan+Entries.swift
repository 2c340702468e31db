import FilesinkiModel
import FilesinkiSystem
import Glibc

extension FolderScan {
    /// Compares one name of a folder with its known row and records the difference.
    ///
    /// - Returns: False when the name vanished since the folder was read.
    mutating func compareName(
        at name: UnsafeRawBufferPointer, _ slot: Int?, _ type: UInt8,
        _ descriptor: borrowing FileHandle, _ visit: FolderVisit, _ found: inout [FolderTask]
    ) -> Bool {
        guard let text = name.assumingMemoryBound(to: CChar.self).baseAddress else { return false }
        if let filter = visit.filter, type != UInt8(DT_UNKNOWN),
            leaveOut(name, slot, isDirectory: type == UInt8(DT_DIR), filter, visit)
        {
            return true
        }
        var record = stat()
        guard fstatat(descriptor.raw, text, &record, AT_SYMLINK_NOFOLLOW) == 0 else {
            let error = SystemError.last
            if error.number == ENOENT { return false }
            let path = visit.path(of: name)
            result.blocked.append(path)
            result.problems.append(Problem(path, error.failure("examine it", path)))
            return true
        }
        var status = FileStatus(record)
        if injection.hasDevices, let device = injection.device(visit.path(of: name)) {
            status.stamp.device = device
        }
        if !visit.live.logged.isEmpty, visit.live.logged.contains(Array(name)) {
            try? descriptor.addLogTime(&status, of: name)
        }
        if let filter = visit.filter, type == UInt8(DT_UNKNOWN),
            leaveOut(name, slot, isDirectory: status.kind == .directory, filter, visit)
        {
            return true
        }
        let length = (visit.path.map { $0.bytes.count + 1 } ?? 0) + name.count
        guard length <= RelativePath.maximumLength else {
            refuse(visit.path(of: name))
            return true
        }
        recordDifference(
            FoundName(name: name, text: text, status: status, mode: record.st_mode, slot: slot),
            descriptor, visit, &found)
        return true
    }

    private mutating func leaveOut(
        _ name: UnsafeRawBufferPointer, _ slot: Int?, isDirectory: Bool, _ filter: any ScanFilter,
        _ visit: FolderVisit
    ) -> Bool {
        guard filter.ignores(Array(name)[...], isDirectory: isDirectory) else { return false }
        let path = visit.path(of: name)
        if slot != nil || !known.slots(of: path.bytes).isEmpty { result.ignored.append(path) }
        return true
    }

    private mutating func refuse(_ path: RelativePath) {
        let failure = Failure(
            .badPath, path: path.bytes,
            "The path is longer than \(RelativePath.maximumLength) bytes.",
            remedy: "Use shorter names or fewer folders.")
        result.blocked.append(path)
        result.problems.append(Problem(path, failure))
    }

    private mutating func recordDifference(
        _ name: FoundName, _ descriptor: borrowing FileHandle, _ visit: FolderVisit,
        _ found: inout [FolderTask]
    ) {
        switch name.status.kind {
        case .file: recordFile(name, visit)
        case .directory:
            let stamp = recordDirectory(name, visit)
            found.append(
                FolderTask(
                    folder: visit.path(of: name.name), filter: visit.filter ?? EverythingFilter(),
                    device: name.status.stamp.device, knownDevice: stamp?.device,
                    isNew: name.slot == nil))
        case .symlink: recordSymlink(name, descriptor, visit)
        case .special:
            let path = visit.path(of: name.name)
            let word = FileStatus.specialWord(ofMode: name.mode)
            result.specials.append(ScanSpecial(path: path, word: word))
            if name.slot != nil { result.blocked.append(path) }
        }
    }

    private mutating func recordFile(_ name: FoundName, _ visit: FolderVisit) {
        result.fileCount += 1
        let status = name.status
        guard let slot = name.slot else {
            devices.recordPresent(status.stamp, known: nil, in: visit.device)
            result.candidates.append(
                ScanCandidate(path: visit.path(of: name.name), status: status, knownRow: nil))
            return
        }
        let row = known.row(at: slot)
        let (kind, mode, stamp) = known.facts(ofRow: row)
        devices.recordPresent(status.stamp, known: stamp, in: visit.device)
        if kind == .file, stamp == status.stamp {
            guard mode != status.mode else { return }
            let path = visit.path(of: name.name)
            var entry = known.rows[row].entry
            entry.mode = status.mode
            result.changed.append(ScanChange(path: path, entry: entry, stamp: status.stamp))
            return
        }
        let path = visit.path(of: name.name)
        result.candidates.append(ScanCandidate(path: path, status: status, knownRow: row))
        if kind == .directory {
            suspect(slot, visit.device, visit)
            markChildrenMissing(of: path, visit)
        }
    }

    /// - Returns: The folder's known stamp.
    private mutating func recordDirectory(_ name: FoundName, _ visit: FolderVisit) -> FileStamp? {
        let status = name.status
        var knownStamp: FileStamp?
        var isKnown = false
        if let slot = name.slot {
            let (kind, mode, stamp) = known.facts(ofRow: known.row(at: slot))
            if kind == .directory { knownStamp = stamp }
            isKnown = kind == .directory && mode == status.mode
        }
        recordDevice(name, knownStamp, visit)
        guard !isKnown else { return knownStamp }
        let entry = Entry.directory(mode: status.mode, modified: status.stamp.modified)
        result.changed.append(
            ScanChange(path: visit.path(of: name.name), entry: entry, stamp: status.stamp))
        return knownStamp
    }

    /// Records a mount point, and a folder whose known stamp has another device or inode.
    private mutating func recordDevice(
        _ name: FoundName, _ knownStamp: FileStamp?, _ visit: FolderVisit
    ) {
        let stamp = name.status.stamp
        let isMountPoint = stamp.device != visit.device
        let isElsewhere = (isMountPoint || knownStamp != nil) && stamp.device != knownStamp?.device
        let isOther = knownStamp.map { $0.inode != stamp.inode } ?? false
        guard isElsewhere || isOther else { return }
        let path = visit.path(of: name.name)
        if isMountPoint, isElsewhere {
            devices.mountPoints.append(
                .init(path: path, known: knownStamp?.device, present: stamp.device))
        }
        guard let slot = name.slot else { return }
        var row = known.rows[known.row(at: slot)]
        guard row.entry.kind == .directory else { return }
        row.stamp = stamp
        result.restamped.append(row)
    }

    private mutating func recordSymlink(
        _ name: FoundName, _ descriptor: borrowing FileHandle, _ visit: FolderVisit
    ) {
        let stamp = name.status.stamp
        var knownKind: Entry.Kind?
        if let slot = name.slot {
            let (kind, _, knownStamp) = known.facts(ofRow: known.row(at: slot))
            devices.recordPresent(stamp, known: knownStamp, in: visit.device)
            if kind == .symlink, knownStamp == stamp { return }
            knownKind = kind
        }
        let path = visit.path(of: name.name)
        do {
            let target = try readLink(descriptor.raw, name.text)
            let entry = Entry.symlink(to: target, modified: stamp.modified)
            result.changed.append(ScanChange(path: path, entry: entry, stamp: stamp))
            if knownKind == .directory, let slot = name.slot {
                suspect(slot, visit.device, visit)
                markChildrenMissing(of: path, visit)
            }
        } catch {
            // EINVAL: no longer a symlink. The next scan finds what it is.
            result.blocked.append(path)
            if error.number != ENOENT && error.number != EINVAL {
                result.problems.append(Problem(path, error.failure("read the symlink", path)))
            }
        }
    }
}

/// A name on disk with its status.
struct FoundName {
    var name: UnsafeRawBufferPointer
    /// The same with NUL.
    var text: UnsafePointer<CChar>
    var status: FileStatus
    /// All bits of `st_mode`.
    var mode: mode_t
    /// The slot in the known tree.
    var slot: Int?
}

extension BaseSnapshot {
    /// The fields that a scan compares, without copying the row.
    func facts(ofRow row: Int) -> (kind: Entry.Kind, mode: UInt16, stamp: FileStamp?) {
        rows.withUnsafeBufferPointer { rows in
            (rows[row].entry.kind, rows[row].entry.mode, rows[row].stamp)
        }
    }
}
