import FilesinkiModel
import FilesinkiSystem
import Glibc

extension FolderScan {
    /// Whether a name is there that the folder did not list. It is not missing, and nothing is said of
    /// it, unless it has been renamed to another spelling: where names are folded, the listed name may
    /// be that of another known file, and on any file system a save while the folder was read can hide
    /// a name.
    mutating func holdsUnlisted(
        _ slot: Int, _ listing: FolderListing, in descriptor: borrowing FileHandle,
        _ visit: FolderVisit
    ) -> Bool {
        let name = Array(known.name(at: slot))
        guard let isThere = try? descriptor.status(of: name) != nil, isThere else { return false }
        let key = foldedName(name)
        let path = known.rows[known.row(at: slot)].path
        let spellings = listing.entries.map { Array(listing.name($0)) }.filter {
            foldedName($0) == key
        }
        let isKnown = spellings.first { spelling in
            spelling.withUnsafeBytes { known.slot(of: $0, among: visit.slots) } != nil
        }
        if isKnown == nil, !spellings.isEmpty { return false }
        result.blocked.append(path)
        if let isKnown {
            let twin = path.parent?.appending(isKnown) ?? RelativePath(unchecked: isKnown)
            result.problems.append(Problem(path, .twin(path, twin)))
        }
        return true
    }

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
        var visit = FolderVisit(path: path.parent, filter: filter, slots: slots, device: 0)
        if root.live != nil { visit.live.logged = [Array(path.name)] }
        visit.device = try presentDevice(ofFolder: path.parent)
        var found: [FolderTask] = []
        if try !lookAlone(at: path, slot, visit, &found), let slot {
            suspect(slot, knownDevice(in: visit), visit)
            markMissing(slot, filter)
        }
        return found.first
    }

    /// The device of a folder, or of the nearest one above that is there; nil is the root.
    func presentDevice(ofFolder folder: RelativePath?) throws(Failure) -> UInt64 {
        var next = folder
        while let folder = next {
            if let device = injection.device(folder) { return device }
            do throws(Failure) {
                if let status = try root.status(folder) { return status.stamp.device }
            } catch {
                // A symlink in its place.
                if error.code != .badPath { throw error }
            }
            next = folder.parent
        }
        if let device = injection.device(nil) { return device }
        return try root.status().stamp.device
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
        guard try root.twin(of: path) == nil else { return false }
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
