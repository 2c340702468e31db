import CKernel
package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// When written data is synced to disk.
package enum SyncMode: Hashable, Sendable {
    /// With every step. When it returns, the name is on disk; the bytes are if the file was
    /// finished with `sync`.
    case each
    /// With ``TreeWriter/flush()``. Call it twice for a batch: after its files are finished and
    /// before they are installed, so that a power cut leaves no name without its bytes; and again
    /// before the manifest records them.
    case batch
}

/// Changes the tree without losing a user's save, whenever it happens.
///
/// A new name is made with a rename that fails if the name exists. An existing file is *exchanged*
/// with the staged file atomically, or moved to staging, and only then checked: if it is not what
/// the plan expects, it is restored. See ``Staging`` for a kill in between, and for file systems
/// without these renames. Not covered: a program that writes through an open descriptor after its
/// file was checked.
///
/// Parents are opened beneath the root without following links. All methods may be called from
/// several threads for different paths.
package struct TreeWriter: Sendable {
    let root: RootFolder
    /// The folder in which files are prepared.
    package let staging: Staging
    let sync: SyncMode
    /// Called between all steps. Tests save files there.
    var probe: @Sendable (Step) -> Void = { _ in }

    /// The points at which a test can interfere.
    enum Step: Hashable, Sendable, CaseIterable {
        case begun, allowed, planned, takenOut, judged, dropped, putBack, placed
    }

    package init(root: RootFolder, staging: Staging, sync: SyncMode) {
        self.root = root
        self.staging = staging
        self.sync = sync
    }

    /// Installs a finished file at a path.
    ///
    /// - Parameter expecting: What may be replaced. With ``Expectation/content(_:size:)`` the
    ///   replaced file is read and hashed.
    /// - Returns: The result. ``InstallOutcome/surprised`` leaves the user's file in place; the
    ///   staged file must not be used again.
    /// - Throws: `Failure`. The path is then unchanged, or has the user's file.
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
                // If anything may be replaced, a file that has just appeared may be, too.
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
        // The content of a live file is its snapshot.
        guard let expecting = try settled(expecting, at: site.path, in: folder) else {
            return .surprised
        }
        let companions = try companions(of: site, in: folder)
        guard let found = try folder.liveStatus(of: site.name), expecting.allows(found) else {
            return .surprised
        }
        return try replace(staged, ours, folder, site, expecting, companions)
    }

    /// Creates a symlink, or replaces the file at its path with it.
    package func makeSymlink(
        target: [UInt8], at path: RelativePath, modified: Timestamp, expecting: Expectation
    ) throws(Failure) -> InstallOutcome {
        if target.isEmpty || target.contains(0) {
            throw Failure(
                .badPath, path: path.bytes, "The symlink has no valid target.",
                remedy: "Create it again on the device that it came from.")
        }
        let staged = try staging.makeSymlink(to: target, modified: modified)
        return try install(staged, at: path, expecting: expecting)
    }

    /// Syncs all bytes and names of the whole file system to disk.
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
        noteLive(staged)
        guard try staging.place(staged.name, at: site.name, in: folder) else {
            try refuseTwin(site, in: folder)
            return .surprised
        }
        staged.markInstalled()
        probe(.placed)
        return try confirm(ours, folder, site)
    }

    /// Throws when the name leads to a file that the folder lists under another name. Reads the
    /// folder if the name exists.
    func refuseTwin(_ site: Site, in folder: borrowing FileHandle) throws {
        guard let other = try folder.otherSpelling(of: site.name) else { return }
        root.record(folding: true, in: site.path.parent)
        let twin = site.path.parent?.appending(other) ?? RelativePath(unchecked: other)
        throw Failure.twin(site.path, twin)
    }

    /// Syncs the names of a folder in mode ``SyncMode/each``.
    func syncIfEach(_ folder: borrowing FileHandle) throws(SystemError) {
        guard sync == .each else { return }
        // An O_PATH descriptor cannot be synced.
        try staging.calls.sync(folder.open(".".utf8, O_RDONLY | O_DIRECTORY))
    }

    /// Whether the path still has the file that was installed.
    ///
    /// A write into the installed file is an edit of it, and the stamp from before lets the next
    /// scan find it. Another file at the path may be an edit of an earlier version.
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

/// A path with its name, for calls on an open folder.
struct Site {
    let path: RelativePath
    let name: [UInt8]

    init(_ path: RelativePath) {
        self.path = path
        name = Array(path.name)
    }
}
