package import FilesinkiModel
import Glibc

extension TreeWriter {
    /// Makes a directory, or gives the one that is there its mode.
    ///
    /// A mode without write permission keeps files from being made inside: give such a mode with
    /// ``setAttributes(_:mode:modified:expecting:)`` when the directory is filled.
    package func makeDirectory(
        _ path: RelativePath, mode: UInt16
    ) throws(Failure) -> InstallOutcome {
        let folder = try root.openParent(of: path)
        let name = Array(path.name)
        probe(.begun)
        do throws(SystemError) {
            // Not the final mode at once: the process's mask would take bits from it.
            let made = name.withCString { mkdirat(folder.raw, $0, 0o700) } == 0
            if !made, errno != EEXIST { throw SystemError.last }
            guard let found = try folder.status(of: name), found.kind == .directory else {
                return .surprised
            }
            guard made || found.mode != mode & 0o777 else { return .done(found) }
            guard try setMode(of: name, in: folder, found, mode) else { return .surprised }
            if made { try settle(folder) }
            guard let now = try folder.status(of: name), now.kind == .directory else {
                return .surprised
            }
            return .done(now)
        } catch { throw error.failure("make the folder", path) }
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
            try settle(parent.descriptor)
            return .done(found)
        } catch { throw error.failure("remove the folder", path) }
    }

    /// Renames a file, a symlink or a folder to a name that must be free. Nothing is staged: at
    /// every moment it has one of the two names.
    ///
    /// - Parameter expecting: What is moved; of a directory only the inode of a stamp is compared,
    ///   and ``Expectation/any`` takes it too.
    package func move(
        from: RelativePath, to: RelativePath, expecting: Expectation
    ) throws(Failure) -> InstallOutcome {
        guard let origin = try root.openParentIfThere(of: from) else { return .surprised }
        let goal = try root.openParent(of: to)
        probe(.begun)
        do throws(SystemError) {
            let (old, new) = (Array(from.name), Array(to.name))
            guard let found = try origin.descriptor.status(of: old), expecting.allowsMoving(found)
            else {
                return .surprised
            }
            probe(.allowed)
            do throws(SystemError) {
                guard try moveToFreeName(origin.descriptor, old, goal, new) else {
                    return .surprised
                }
            } catch {
                if error.number == ENOENT { return .surprised }
                throw error
            }
            probe(.takenOut)
            guard let now = try goal.status(of: new) else { return .surprised }
            guard try expecting.judgeMoved(now, found, named: new, in: goal) else {
                // If the old name is taken again, what was moved keeps the new one.
                _ = try moveToFreeName(goal, new, origin.descriptor, old)
                return .surprised
            }
            try settle(origin.descriptor)
            try settle(goal)
            return .done(now)
        } catch { throw error.failure("move it to \(to)", from) }
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
        in folder: borrowing Descriptor
    ) throws(SystemError) -> Bool {
        guard now.kind == before.kind, now.stamp.isSameInode(as: before.stamp) else { return false }
        if now.kind == .directory { return true }
        return try judge(now, named: name, in: folder)
    }
}
