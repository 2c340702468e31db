package import FilesinkiModel
import FilesinkiSystem
import Glibc

extension TreeWriter {
    /// Makes a directory, or gives the one that is there its mode.
    ///
    /// A mode without write permission keeps files from being made inside: give such a mode with
    /// ``setAttributes(_:mode:modified:expecting:)`` when the directory is filled.
    ///
    /// - Parameter isNew: Whether nothing is expected to be there. A folder that is there under another
    ///   spelling is then noticed, whatever is known of the root.
    /// - Throws: Code ``FilesinkiModel/Failure/Code/exists`` where a folder is listed under another
    ///   spelling.
    package func makeDirectory(
        _ path: RelativePath, mode: UInt16, isNew: Bool = false
    ) throws(Failure) -> InstallOutcome {
        let folder = try root.openParent(of: path)
        let name = Array(path.name)
        probe(.begun)
        do {
            // Not the final mode at once: the process's mask would take bits from it.
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

    /// Makes the folders that a path needs.
    package func makeFolders(above path: RelativePath) throws(Failure) {
        for folder in path.ancestors.reversed() where try root.status(folder) == nil {
            _ = try makeDirectory(folder, mode: 0o755)
        }
    }

    /// Removes an empty directory. One that holds anything, or is something else, stays.
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

    /// Renames a file, a symlink or a folder to a name that must be free. Nothing is staged, and at
    /// every moment it has one of the two names, wherever the file system can see to that.
    ///
    /// - Parameter expecting: What is moved; of a directory only the inode of a stamp is compared,
    ///   and ``Expectation/any`` takes it too.
    package func move(
        from: RelativePath, to: RelativePath, expecting: Expectation
    ) throws(Failure) -> InstallOutcome {
        guard let origin = try root.openParentIfThere(of: from) else { return .surprised }
        let goal = try root.openParent(of: to)
        // On a file system that takes both for one name.
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
    /// How something came to its new name.
    private enum Way {
        case renamed
        /// It has both names.
        case linked
        /// The new name is taken, or nothing is at the old one.
        case taken
        /// The file system cannot do it so that a taken name stays.
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

    /// Takes a file out and puts it at the new name. A killed run's successor puts it back.
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

    /// Takes the new name back. If the old one is taken again, what was moved keeps the new one.
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
            // Only a name that leads to what the old one leads to.
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
