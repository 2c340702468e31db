import FilesinkiModel
import Glibc

extension FolderScan {
    /// Notes a known path that is gone with all below it, save what the filter leaves out.
    mutating func markMissing(_ slot: Int, _ filter: any ScanFilter) {
        let row = known.rows[known.row(at: slot)]
        let isDirectory = row.entry.kind == .directory
        if filter.ignores(known.name(at: slot), isDirectory: isDirectory) {
            result.ignored.append(row.path)
            return
        }
        result.missing.append(row.path)
        if isDirectory { markChildrenMissing(of: row.path, filter) }
    }

    /// Notes all known below a folder that is something else now.
    mutating func markChildrenMissing(of folder: RelativePath, _ visit: FolderVisit) {
        markChildrenMissing(of: folder, visit.filter ?? EverythingFilter())
    }

    private mutating func markChildrenMissing(of folder: RelativePath, _ filter: any ScanFilter) {
        let slots = known.slots(of: folder.bytes)
        if slots.isEmpty { return }
        let inside = filter.entering(folder.name) { _ in nil }
        for slot in slots { markMissing(slot, inside) }
    }

    /// Begins a scan at one path, as if its folder had just been read.
    ///
    /// - Returns: The folder to scan when the path is one.
    mutating func start(
        at path: RelativePath, _ filter: any ScanFilter
    ) throws(Failure) -> FolderTask? {
        var filter = filter
        for folder in path.ancestors.reversed() {
            if filter.ignores(folder.name, isDirectory: true) {
                result.ignored.append(path)
                return nil
            }
            filter = try enter(folder, filter) { _ in true }
        }
        let slots = known.slots(of: path.parent?.bytes ?? [])
        let slot = Array(path.name).withUnsafeBytes { known.slot(of: $0, among: slots) }
        var visit = FolderVisit(path: path.parent, filter: filter, slots: slots)
        if root.live != nil { visit.live.logged = [Array(path.name)] }
        var found: [FolderTask] = []
        if try !lookAlone(at: path, slot, visit, &found), let slot {
            markMissing(slot, filter)
        }
        return found.first
    }

    private mutating func lookAlone(
        at path: RelativePath, _ slot: Int?, _ visit: FolderVisit, _ found: inout [FolderTask]
    ) throws(Failure) -> Bool {
        let folder: OpenFile
        do throws(Failure) { folder = OpenFile(try root.openParent(of: path)) } catch {
            // No folder, or a symlink in its place: then the path is not there either.
            if error.code == .notFound || error.code == .badPath { return false }
            throw error
        }
        var name = Array(path.name)
        let count = name.count
        name.append(0)
        return name.withUnsafeBytes { bytes in
            look(
                at: UnsafeRawBufferPointer(rebasing: bytes[..<count]), slot, UInt8(DT_UNKNOWN),
                folder.descriptor, visit, &found)
        }
    }

    /// Notes rows as missing whose folder has no row and was not there to be read.
    mutating func settleUnlisted(below: RelativePath?) {
        for bytes in known.unlistedFolders where !enteredUnlisted.contains(bytes) {
            let folder = RelativePath(unchecked: bytes)
            if let below, folder != below, !folder.isInside(below) { continue }
            let unknown = result.blocked + result.ignored
            if unknown.contains(where: { $0 == folder || folder.isInside($0) }) { continue }
            let gone = Set(result.missing)
            for slot in known.slots(of: bytes)
            where !gone.contains(known.rows[known.row(at: slot)].path) {
                markMissing(slot, EverythingFilter())
            }
        }
    }
}
