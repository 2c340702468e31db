import CKernel
package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// When what is written is made to reach the disk.
package enum SyncMode: Hashable, Sendable {
    /// With every step: when it returns, the name is on disk (the bytes are when the file was
    /// finished with `sync`).
    case each
    /// With ``TreeWriter/flush()``. Call it twice for a batch: after its files are finished and
    /// before they are installed, so that a power cut leaves no name without its bytes; and again
    /// before the manifest says that they are there.
    case batch
}

/// Changes the tree, in the one way that loses no save of a user's, whenever it comes.
///
/// A new name is made with a rename that fails when the name is taken. What is there already is
/// *exchanged* with the staged file in one step, or moved aside, and only then looked at: if it is
/// not what the plan saw, it goes back. See ``Staging`` for what happens at a kill in between, and for
/// file systems that know no such renames. Left open: a program that writes in place, through a
/// descriptor opened earlier, after its file was judged.
///
/// Parents are opened beneath the root without following links; nothing outside is ever touched.
/// All methods may be called from several threads, for different paths.
package struct TreeWriter: Sendable {
    let root: RootFolder
    /// Where files are made ready.
    package let staging: Staging
    let sync: SyncMode
    /// Called between all steps; for tests, which save files there.
    var probe: @Sendable (Step) -> Void = { _ in }

    /// The points at which a test may step in.
    enum Step: Hashable, Sendable, CaseIterable {
        case begun, allowed, planned, takenOut, judged, dropped, putBack, placed
    }

    package init(root: RootFolder, staging: Staging, sync: SyncMode) {
        self.root = root
        self.staging = staging
        self.sync = sync
    }

    /// Puts a finished file in its place.
    ///
    /// - Parameter expecting: What may be replaced. With ``Expectation/content(_:size:)`` what came
    ///   out is read and hashed.
    /// - Returns: ``InstallOutcome/surprised`` leaves the tree as the user made it; the staged file
    ///   may then be used up or not, make a new one.
    /// - Throws: `Failure`; the path is then as it was, or as the user made it.
    package func install(
        _ staged: StagedFile, at path: RelativePath, expecting: Expectation
    ) throws(Failure) -> InstallOutcome {
        guard let ours = staged.status else {
            throw Failure(
                .usage, path: path.bytes, "The file to install is not finished.",
                remedy: "Finish it first.")
        }
        let folder = try root.openParent(of: path)
        let site = Site(path)
        probe(.begun)
        do {
            for _ in 1..<Self.tries {
                let outcome = try installOnce(staged, ours, folder, site, expecting)
                // Where anything may be replaced, so may what has just come.
                let isOvertaken = outcome == .surprised && expecting == .any && !staged.isInstalled
                guard isOvertaken, try folder.status(of: site.name)?.kind != .directory else {
                    return outcome
                }
            }
            return .surprised
        } catch let error as SystemError {
            throw error.failure("install it", path)
        } catch let failure as Failure {
            throw failure
        } catch { return .surprised }
    }

    private func installOnce(
        _ staged: StagedFile, _ ours: FileStatus, _ folder: borrowing FileHandle, _ site: Site,
        _ expecting: Expectation
    ) throws -> InstallOutcome {
        if expecting == .absent { return try installNew(staged, ours, folder, site) }
        if try root.foldsNames(above: site.path) { try refuseTwin(site, in: folder) }
        guard try folder.status(of: site.name) != nil else {
            return expecting == .any ? try installNew(staged, ours, folder, site) : .surprised
        }
        if let outcome = try replaceLive(staged, ours, folder, site, expecting) { return outcome }
        // A live file's content is not what lies in it.
        guard let expecting = try settled(expecting, at: site.path, in: folder) else {
            return .surprised
        }
        let companions = try companions(of: site, in: folder)
        guard let found = try folder.liveStatus(of: site.name), expecting.allows(found) else {
            return .surprised
        }
        return try replace(staged, ours, folder, site, expecting, companions)
    }

    /// Makes a symlink, or puts it in the place of what is there.
    package func makeSymlink(
        target: [UInt8], at path: RelativePath, modified: Timestamp, expecting: Expectation
    ) throws(Failure) -> InstallOutcome {
        if target.isEmpty || target.contains(0) {
            throw Failure(
                .badPath, path: path.bytes, "The symlink points at nothing.",
                remedy: "Make it anew where it came from.")
        }
        let staged = try staging.makeSymlink(to: target, modified: modified)
        return try install(staged, at: path, expecting: expecting)
    }

    /// Waits until everything written so far is on disk, bytes and names, of the whole file system.
    package func flush() throws(Failure) {
        let path = Array(root.path.utf8)
        guard let folder = FileHandle(root.openItself(O_RDONLY | O_DIRECTORY)) else {
            throw SystemError.last.failure("open the root", path, of: .local)
        }
        guard fsk_sync_file_system(folder.raw) == 0 else {
            throw SystemError.last.failure("sync the file system", path, of: .local)
        }
    }

    private func installNew(
        _ staged: StagedFile, _ ours: FileStatus, _ folder: borrowing FileHandle, _ site: Site
    ) throws -> InstallOutcome {
        probe(.allowed)
        try refuseOrphans(staged, folder, site)
        guard try staging.place(staged.name, at: site.name, in: folder) else {
            try refuseTwin(site, in: folder)
            return .surprised
        }
        staged.markInstalled()
        probe(.placed)
        return try confirm(ours, folder, site)
    }

    /// Throws when the site's name is taken by a file that the folder lists under another one. Reads
    /// the folder when the name is taken.
    func refuseTwin(_ site: Site, in folder: borrowing FileHandle) throws {
        guard let other = try folder.otherSpelling(of: site.name) else { return }
        root.record(folding: true, in: site.path.parent)
        let twin = site.path.parent?.appending(other) ?? RelativePath(unchecked: other)
        throw Failure.twin(site.path, twin)
    }

    /// Makes the names of a folder durable when each step has to be.
    func syncIfEach(_ folder: borrowing FileHandle) throws(SystemError) {
        guard sync == .each else { return }
        // A descriptor of O_PATH cannot be synced.
        try folder.open(".".utf8, O_RDONLY | O_DIRECTORY).syncFolder()
    }

    /// Whether what is at the path now is what we put there; if not, the user was quick.
    ///
    /// Who wrote into the very file that we placed has seen it: that is an edit of it, and the stamp
    /// from before lets the next look find it. Another file in its place may be an edit of what was
    /// there earlier.
    func confirm(
        _ ours: FileStatus, _ folder: borrowing FileHandle, _ site: Site
    ) throws(SystemError) -> InstallOutcome {
        try syncIfEach(folder)
        guard let now = try folder.status(of: site.name) else { return .overtaken(ours) }
        if now.stamp.isSame(butForChangeOf: ours.stamp) { return .done(now) }
        let isOurs = now.stamp.inode == ours.stamp.inode && now.stamp.device == ours.stamp.device
        return isOurs ? .done(ours) : .overtaken(ours)
    }
}

/// A path with its last name, as the calls on an open folder need it.
struct Site {
    let path: RelativePath
    let name: [UInt8]

    init(_ path: RelativePath) {
        self.path = path
        name = Array(path.name)
    }
}
