import FilesinkiModel
import FilesinkiSystem
import Glibc

/// One thread's part of a scan: reads folders and collects the differences.
struct FolderScan: Sendable {
    let root: RootFolder
    let known: BaseSnapshot
    let injection: ScanInjection
    var result = ScanResult()
    var devices = DeviceNumbers()
    /// Folders without a known row that were read.
    var enteredUnlisted: Set<[UInt8]> = []

    init(root: RootFolder, known: BaseSnapshot, injection: ScanInjection) {
        self.root = root
        self.known = known
        self.injection = injection
    }

    /// Scans a folder below the root. A folder that cannot be read is blocked.
    ///
    /// - Returns: The subfolders to scan.
    mutating func scanOrBlock(_ task: FolderTask) -> [FolderTask] {
        do { return try scan(task) } catch {
            if let folder = task.folder { block(folder, error) }
            return []
        }
    }

    /// Scans a folder.
    ///
    /// - Throws: `Failure` when it cannot be read completely. Then nothing was added to the
    ///   result.
    mutating func scan(_ task: FolderTask) throws(Failure) -> [FolderTask] {
        let path = task.folder
        let descriptor = try open(path)
        let listing: FolderListing
        do throws(SystemError) {
            if let error = injection.fault(path) { throw error }
            listing = try FolderListing(descriptor)
        } catch {
            throw error.failure("read the folder", path?.bytes ?? Array(root.path.utf8), of: .local)
        }
        var filter = task.filter
        if let path {
            // The listing spares most folders the look for a replica.
            filter =
                listing.contains(RelativePath.stateFolder.utf8) && root.holdsOwnStore(path)
                ? OwnReplicaFilter()
                : try enter(path, task.filter) { listing.contains($0.utf8) }
        }
        if let path, known.unlistedFolders.contains(path.bytes) {
            enteredUnlisted.insert(path.bytes)
        }
        let visit = FolderVisit(
            path: path, filter: filter is EverythingFilter ? nil : filter,
            slots: known.slots(of: path?.bytes ?? []),
            live: LiveNames(listing, in: descriptor, root.live), device: task.device,
            knownDevice: task.knownDevice, isNew: task.isNew)
        return compare(listing, in: descriptor, visit)
    }

    private func open(_ path: RelativePath?) throws(Failure) -> FileHandle {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
        let raw = path.map { root.openBeneath($0, flags) } ?? root.openItself(flags)
        if let descriptor = FileHandle(raw) { return descriptor }
        let error = SystemError.last
        throw path.map { error.failure(opening: $0, "open the folder") }
            ?? error.failure("open the root", root.path, of: .local)
    }

    /// The filter inside a folder.
    ///
    /// - Parameter holds: Whether the folder contains a name. Avoids opening missing files.
    func enter(
        _ folder: RelativePath, _ filter: any ScanFilter, holds: (String) -> Bool
    ) throws(Failure) -> any ScanFilter {
        do {
            return try filter.entering(folder.name) { name in
                guard holds(name) else { return nil }
                let path = folder.appending(name.utf8)
                let kind = try root.status(path)?.kind
                if kind == .symlink { throw Failure.linkedIgnoreFile(path) }
                guard kind == .file else { return nil }
                return try root.readWhole(path, limit: 1 << 24).bytes
            }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(
                .io, path: folder.bytes, "Cannot read the ignore rules of this folder.",
                remedy: "Correct the folder's ignore file and run again.", cause: error)
        }
    }

    /// Compares the names on disk with the known ones.
    private mutating func compare(
        _ listing: FolderListing, in descriptor: borrowing FileHandle, _ visit: FolderVisit
    ) -> [FolderTask] {
        var seen = [Bool](repeating: false, count: visit.slots.count)
        var found: [FolderTask] = []
        listing.bytes.withUnsafeBytes { names in
            for entry in listing.entries {
                let name = UnsafeRawBufferPointer(
                    rebasing: names[entry.start..<(entry.start + Int(entry.length))])
                let slot = known.slot(of: name, among: visit.slots)
                if isReplicaState(name, visit) { continue }
                if hides(name, slot, visit, &seen) { continue }
                guard compareName(at: name, slot, entry.type, descriptor, visit, &found) else {
                    continue
                }
                if let slot { seen[slot - visit.slots.lowerBound] = true }
            }
        }
        if seen.contains(false) { recordMissing(seen, listing, in: descriptor, visit) }
        return found
    }

    private mutating func recordMissing(
        _ seen: [Bool], _ listing: FolderListing, in descriptor: borrowing FileHandle,
        _ visit: FolderVisit
    ) {
        let beside = knownDevice(in: visit)
        for (index, isSeen) in seen.enumerated() where !isSeen {
            let slot = visit.slots.lowerBound + index
            if holdsUnlisted(slot, listing, in: descriptor, visit) { continue }
            suspect(slot, beside, visit)
            markMissing(slot, visit.filter ?? EverythingFilter())
        }
    }

    /// Whether a name is a companion of a live file.
    private mutating func hides(
        _ name: UnsafeRawBufferPointer, _ slot: Int?, _ visit: FolderVisit, _ seen: inout [Bool]
    ) -> Bool {
        guard !visit.live.hidden.isEmpty, visit.live.hidden.contains(Array(name)) else {
            return false
        }
        if let slot {
            result.ignored.append(visit.path(of: name))
            seen[slot - visit.slots.lowerBound] = true
        }
        return true
    }

    /// Whether a name is a replica's state folder, or a file system could take it for one. Below
    /// the root it belongs to another replica, whose settings may run commands, so nothing is
    /// written there.
    private mutating func isReplicaState(
        _ name: UnsafeRawBufferPointer, _ visit: FolderVisit
    ) -> Bool {
        guard name.first == UInt8(ascii: "."), RelativePath.isStateFolder(name) else {
            return false
        }
        if !name.elementsEqual(RelativePath.stateFolder.utf8) {
            let path = visit.path(of: name)
            let failure = Failure(
                .badPath, path: path.bytes,
                "Other file systems treat this name as \(RelativePath.stateFolder).",
                remedy: "Rename it.")
            result.problems.append(Problem(path, failure))
        } else if let folder = visit.path, visit.filter is OwnReplicaFilter {
            if visit.isNew || !visit.slots.isEmpty { result.ownReplicas.append(folder) }
        } else if let folder = visit.path, visit.isNew {
            result.replicas.append(folder)
        }
        return true
    }

    mutating func block(_ path: RelativePath, _ failure: Failure) {
        result.blocked.append(path)
        // A path that vanished or was replaced since the listing is not a problem; the next scan
        // finds it.
        if failure.code != .notFound && failure.code != .badPath || isTooLong(path) {
            result.problems.append(Problem(path, failure))
        }
    }

    private func isTooLong(_ path: RelativePath) -> Bool {
        path.bytes.count >= RelativePath.maximumLength
    }
}

/// The folder that is being scanned.
struct FolderVisit {
    /// nil for the root.
    var path: RelativePath?
    /// nil when nothing is ignored.
    var filter: (any ScanFilter)?
    /// The known children.
    var slots: Range<Int>
    var live = LiveNames()
    /// The device number of the folder.
    var device: UInt64
    /// The device number in the folder's known stamp.
    var knownDevice: UInt64?
    /// Whether the folder was unknown before this scan.
    var isNew = false

    /// The path of a name in the folder.
    func path(of name: UnsafeRawBufferPointer) -> RelativePath {
        path?.appending(name) ?? RelativePath(unchecked: Array(name))
    }
}

extension FolderScan {
    /// Whether a name exists that the folder did not list. Such a name is not missing. Exception:
    /// it was renamed to another spelling. Where names are folded, the listed name may be that of
    /// another known file, and on any file system a save during the listing can hide a name.
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

    /// Records a known path as missing with everything below it, except what the filter ignores.
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

    /// Records all known paths below a former folder as missing.
    mutating func markChildrenMissing(of folder: RelativePath, _ visit: FolderVisit) {
        markChildrenMissing(of: folder, visit.filter ?? EverythingFilter())
    }

    private mutating func markChildrenMissing(of folder: RelativePath, _ filter: any ScanFilter) {
        let slots = known.slots(of: folder.bytes)
        if slots.isEmpty { return }
        let inside = filter.entering(folder.name) { _ in nil }
        for slot in slots { markMissing(slot, inside) }
    }

    /// Starts a scan at a single path.
    ///
    /// - Returns: The folder to scan if the path is a folder.
    mutating func start(
        at path: RelativePath, _ filter: any ScanFilter
    ) throws(Failure) -> FolderTask? {
        guard let filter = try inside(path.parent, of: filter, isThere: { _ in true }) else {
            result.ignored.append(path)
            return nil
        }
        let slots = known.slots(of: path.parent?.bytes ?? [])
        let slot = Array(path.name).withUnsafeBytes { known.slot(of: $0, among: slots) }
        var visit = FolderVisit(
            path: path.parent, filter: filter, slots: slots,
            device: try presentDevice(ofFolder: path.parent))
        if root.live != nil { visit.live.logged = [Array(path.name)] }
        var found: [FolderTask] = []
        if try !compareSingle(at: path, slot, visit, &found), let slot {
            suspect(slot, knownDevice(in: visit), visit)
            markMissing(slot, filter)
        }
        return found.first
    }

    /// The filter inside a folder, which need not exist; nil if that is ignored.
    ///
    /// - Parameters:
    ///   - folder: Nil for the root.
    ///   - filter: That of the root.
    ///   - isThere: Whether a folder may have files of rules.
    private func inside(
        _ folder: RelativePath?, of filter: any ScanFilter,
        isThere: (RelativePath) throws(Failure) -> Bool
    ) throws(Failure) -> (any ScanFilter)? {
        guard let folder else { return filter }
        var filter = filter
        for folder in folder.ancestors.reversed() + [folder] {
            if filter.ignores(folder.name, isDirectory: true) || root.holdsOwnStore(folder) {
                return nil
            }
            let isThere = try isThere(folder)
            filter = try enter(folder, filter) { _ in isThere }
        }
        return filter
    }

    /// Whether a folder is at a path. What is in its place, such as a symlink, has no rules.
    private func isFolder(_ path: RelativePath) throws(Failure) -> Bool {
        do throws(Failure) { return try root.status(path)?.kind == .directory } catch {
            // A symlink replaced a folder above it.
            if error.code != .badPath { throw error }
            return false
        }
    }

    /// The device of a folder, or of its nearest existing ancestor; nil is the root.
    func presentDevice(ofFolder folder: RelativePath?) throws(Failure) -> UInt64 {
        var next = folder
        while let folder = next {
            if let device = injection.device(folder) { return device }
            do throws(Failure) {
                if let status = try root.status(folder) { return status.stamp.device }
            } catch {
                // A symlink replaced it.
                if error.code != .badPath { throw error }
            }
            next = folder.parent
        }
        if let device = injection.device(nil) { return device }
        return try root.status().stamp.device
    }

    private mutating func compareSingle(
        at path: RelativePath, _ slot: Int?, _ visit: FolderVisit, _ found: inout [FolderTask]
    ) throws(Failure) -> Bool {
        let folder: OpenFile
        do throws(Failure) { folder = OpenFile(try root.openParent(of: path)) } catch {
            // The parent is absent or a symlink, so the path is absent.
            if error.code == .notFound || error.code == .badPath { return false }
            throw error
        }
        guard try root.twin(of: path) == nil else { return false }
        var name = Array(path.name)
        let count = name.count
        name.append(0)
        return name.withUnsafeBytes { bytes in
            compareName(
                at: UnsafeRawBufferPointer(rebasing: bytes[..<count]), slot, UInt8(DT_UNKNOWN),
                folder.descriptor, visit, &found)
        }
    }

    /// Records rows as missing whose folder has no row and does not exist, except what the filter of the root ignores.
    mutating func recordUnlistedMissing(
        below: RelativePath?, _ filter: any ScanFilter
    ) throws(Failure) {
        for bytes in known.unlistedFolders.sorted(by: { $0.count < $1.count })
        where !enteredUnlisted.contains(bytes) {
            let folder = RelativePath(unchecked: bytes)
            if let below, folder != below, !folder.isInside(below) { continue }
            let unknown = result.blocked + result.ignored
            if unknown.contains(where: { $0 == folder || folder.isInside($0) }) { continue }
            guard let inside = try inside(folder, of: filter, isThere: isFolder) else {
                result.ignored.append(folder)
                continue
            }
            let gone = Set(result.missing)
            for slot in known.slots(of: bytes)
            where !gone.contains(known.rows[known.row(at: slot)].path) {
                markMissing(slot, inside)
            }
        }
    }
}

extension Failure {
    /// Rules that the user sees, and that would not hold.
    fileprivate static func linkedIgnoreFile(_ path: RelativePath) -> Failure {
        Failure(
            .usage, path: path.bytes,
            "The ignore file is a symbolic link, which is not followed: its rules would not hold. Nothing in its folder is "
                + "synced until it is corrected.",
            remedy: "Put the rules into a file of this name.")
    }
}
