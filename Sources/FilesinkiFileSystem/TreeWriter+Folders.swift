package import FilesinkiModel
import FilesinkiSystem
import Glibc

extension TreeWriter {
    /// Creates a directory, or sets the mode of an existing one.
    ///
    /// A mode without write permission prevents creating files inside: set it with
    /// ``setAttributes(_:mode:modified:expecting:)`` after the directory is filled.
    ///
    /// - Parameter isNew: Whether the path is expected to be absent. Then a folder under another
    ///   spelling is detected on any file system.
    /// - Throws: Code ``FilesinkiModel/Failure/Code/exists`` when the folder is listed under
    ///   another spelling.
    package func makeDirectory(
        _ path: RelativePath, mode: UInt16, isNew: Bool = false
    ) throws(Failure) -> InstallOutcome {
        let folder = try root.openParent(of: path)
        let name = Array(path.name)
        probe(.begun)
        do {
            // Not the final mode yet: the umask would remove bits.
            let made = name.withCString { mkdirat(folder.raw, $0, 0o700) } == 0
            if !made, errno != EEXIST { throw SystemError.last }
            if !made {
                let mayBeTwin = isNew ? true : try root.foldsNames(above: path)
                if mayBeTwin { try refuseTwin(Site(path), in: folder) }
            }
            guard let found = try folder.status(of: name), found.kind == .directory else {
                return .surprised
            }
            guard made || found.mode != mode & 0o777 else { return .done(found) }
            guard try setMode(of: name, in: folder, found, mode) else { return .surprised }
            if made { try syncIfEach(folder) }
            guard let now = try folder.status(of: name), now.kind == .directory else {
                return .surprised
            }
            return .done(now)
        } catch let error as SystemError {
            throw error.failure("create the folder", path)
        } catch let failure as Failure {
            throw failure
        } catch { return .surprised }
    }

    /// Creates the missing parent folders of a path.
    package func makeFolders(above path: RelativePath) throws(Failure) {
        for folder in path.ancestors.reversed() where try root.status(folder) == nil {
            _ = try makeDirectory(folder, mode: 0o755)
        }
    }

    /// Removes an empty directory. Anything else is kept.
    package func removeDirectory(_ path: RelativePath) throws(Failure) -> InstallOutcome {
        guard let parent = try root.openParentIfThere(of: path) else { return .surprised }
        let name = Array(path.name)
        probe(.begun)
        do throws(SystemError) {
            guard let found = try parent.descriptor.status(of: name), found.kind == .directory
            else {
                return .surprised
            }
            guard name.withCString({ unlinkat(parent.descriptor.raw, $0, AT_REMOVEDIR) }) == 0
            else {
                let error = SystemError.last
                if [ENOTEMPTY, EEXIST, ENOTDIR, ENOENT].contains(error.number) {
                    return .surprised
                }
                throw error
            }
            try syncIfEach(parent.descriptor)
            return .done(found)
        } catch { throw error.failure("remove the folder", path) }
    }

    /// Renames a file, symlink or folder to a free name without staging. It has one of the two
    /// names at every moment, if the file system supports that.
    ///
    /// - Parameter expecting: What may be moved; for a directory only the inode of a stamp is
    ///   compared, and ``Expectation/any`` allows it too.
    package func move(
        from: RelativePath, to: RelativePath, expecting: Expectation
    ) throws(Failure) -> InstallOutcome {
        guard let origin = try root.openParentIfThere(of: from) else { return .surprised }
        let goal = try root.openParent(of: to)
        // On a file system that folds both to one name.
        let isRespelling = try root.twin(of: to) == from
        probe(.begun)
        do throws(SystemError) {
            let (old, new) = (Array(from.name), Array(to.name))
            guard let found = try origin.descriptor.status(of: old), expecting.allowsMoving(found)
            else {
                return .surprised
            }
            probe(.allowed)
            let way =
                isRespelling ? .unsupported : try rename(origin.descriptor, old, goal, new, found)
            switch way {
            case .taken: return .surprised
            case .unsupported: return try moveStaged(origin.descriptor, from, goal, new, expecting)
            case .renamed, .linked: break
            }
            probe(.takenOut)
            guard let now = try goal.status(of: new) else { return .surprised }
            guard try expecting.judgeMoved(now, found, named: new, in: goal) else {
                try undo(way, origin.descriptor, old, goal, to)
                return .surprised
            }
            if way == .linked {
                let gone = try remove(origin.descriptor, Site(from), expecting, nil)
                if gone == .surprised { return .surprised }
            }
            try syncIfEach(origin.descriptor)
            try syncIfEach(goal)
            return .done(now)
        } catch { throw error.failure("move it to \(to)", from) }
    }
}

extension TreeWriter {
    /// The result of a rename without staging.
    private enum Way {
        case renamed
        /// The file has both names.
        case linked
        /// The new name exists, or the old one does not.
        case taken
        /// The file system cannot rename without replacing.
        case unsupported
    }

    private func rename(
        _ origin: borrowing FileHandle, _ old: [UInt8], _ goal: borrowing FileHandle,
        _ new: [UInt8], _ found: FileStatus
    ) throws(SystemError) -> Way {
        do throws(SystemError) {
            if let isFree = try staging.renameToFree(origin.raw, old, goal.raw, new) {
                return isFree ? .renamed : .taken
            }
            if found.kind == .directory {
                return try staging.renameFolder(origin.raw, old, goal, new) ? .renamed : .taken
            }
            guard let isFree = try staging.link(origin.raw, old, goal.raw, new) else {
                return .unsupported
            }
            return isFree ? .linked : .taken
        } catch {
            if error.number == ENOENT { return .taken }
            throw error
        }
    }

    /// Moves a file to staging and from there to the new name. After a kill the next run restores
    /// it.
    private func moveStaged(
        _ origin: borrowing FileHandle, _ from: RelativePath, _ goal: borrowing FileHandle,
        _ new: [UInt8], _ expecting: Expectation
    ) throws(SystemError) -> InstallOutcome {
        let aside = staging.nextName()
        let site = Site(from)
        try Intent(ours: nil, .absent, from).write(beside: aside, in: staging.folder)
        probe(.planned)
        guard try takeOut(origin, site, as: aside, expecting, nil) != nil else { return .surprised }
        let isFree: Bool
        do throws(SystemError) {
            isFree = try staging.place(aside, at: new, in: goal)
        } catch {
            try giveBack(aside, origin, site)
            throw error
        }
        guard isFree else {
            try giveBack(aside, origin, site)
            return .surprised
        }
        probe(.placed)
        try syncIfEach(origin)
        try syncIfEach(goal)
        try Intent.remove(beside: aside, in: staging.folder)
        guard let now = try goal.status(of: new) else { return .surprised }
        return .done(now)
    }

    /// Renames back. If the old name exists again, the file keeps the new one.
    private func undo(
        _ way: Way, _ origin: borrowing FileHandle, _ old: [UInt8], _ goal: borrowing FileHandle,
        _ to: RelativePath
    ) throws(SystemError) {
        switch way {
        case .renamed:
            let new = Array(to.name)
            if try staging.renameToFree(goal.raw, new, origin.raw, old) == nil {
                _ = try staging.renameFolder(goal.raw, new, origin, old)
            }
        case .linked:
            // Only if both names lead to the same inode.
            guard let kept = try origin.status(of: old), let found = try goal.status(of: to.name),
                kept.stamp == found.stamp
            else { return }
            _ = try remove(goal, Site(to), .stamp(found.stamp), nil)
        case .taken, .unsupported: break
        }
    }
}

extension Expectation {
    fileprivate func allowsMoving(_ status: FileStatus) -> Bool {
        guard status.kind == .directory else { return allows(status) }
        switch self {
        case .any: return true
        case .stamp(let stamp): return status.stamp.isSameInode(as: stamp)
        case .absent, .content, .link: return false
        }
    }

    fileprivate func judgeMoved(
        _ now: FileStatus, _ before: FileStatus, named name: [UInt8],
        in folder: borrowing FileHandle
    ) throws(SystemError) -> Bool {
        guard now.kind == before.kind, now.stamp.isSameInode(as: before.stamp) else { return false }
        if now.kind == .directory { return true }
        return try judge(now, named: name, in: folder)
    }
}
