package import FilesinkiModel
import Glibc

extension TreeWriter {
    /// How often what a user puts in our way is swapped back before it is kept beside.
    private static let swapTries = 100

    /// Exchanges the staged file with what is at the path, and judges what came out.
    func replace(
        _ staged: StagedFile, _ ours: FileStatus, _ folder: borrowing Descriptor, _ site: Site,
        _ expecting: Expectation
    ) throws(SystemError) -> InstallOutcome {
        probe(.allowed)
        let wasLive = folder.holdsLive(site.name, root.live)
        let intent = Intent(ours: ours.stamp, expecting, site.path)
        try intent.write(beside: staged.name, in: staging.folder)
        probe(.planned)
        guard try exchange(staging.folder, staged.name, folder, site.name) else {
            try Intent.remove(beside: staged.name, in: staging.folder)
            return .surprised
        }
        // From here on the staged name holds what came out of the tree.
        staged.markInstalled()
        probe(.takenOut)
        guard try isExpected(staged.name, expecting) else {
            return try putBack(staged.name, placed: ours, folder, site)
        }
        probe(.judged)
        try settle(folder)
        try staging.folder.unlink(staged.name)
        probe(.dropped)
        try Intent.remove(beside: staged.name, in: staging.folder)
        if wasLive { try dropCompanions(of: site, in: folder) }
        return try confirm(ours, folder, site)
    }

    /// Removes a file or a symlink: moves it aside, judges it, and drops it or gives it back.
    ///
    /// - Parameter expecting: ``Expectation/absent`` is never met.
    package func remove(
        _ path: RelativePath, expecting: Expectation
    ) throws(Failure) -> InstallOutcome {
        guard let parent = try root.openParentIfThere(of: path) else { return .surprised }
        let site = Site(path)
        probe(.begun)
        guard let expecting = try settled(expecting, at: path, in: parent.descriptor) else {
            return .surprised
        }
        do {
            guard let found = try parent.descriptor.liveStatus(of: site.name),
                expecting.allows(found)
            else {
                return .surprised
            }
            probe(.allowed)
            let wasLive = parent.descriptor.holdsLive(site.name, root.live)
            let outcome = try takeOut(parent.descriptor, site, expecting)
            if wasLive, case .done = outcome { try dropCompanions(of: site, in: parent.descriptor) }
            return outcome
        } catch { throw error.failure("remove it", path) }
    }

    private func takeOut(
        _ folder: borrowing Descriptor, _ site: Site, _ expecting: Expectation
    ) throws(SystemError) -> InstallOutcome {
        let aside = staging.nextName()
        let intent = Intent(ours: nil, expecting, site.path)
        try intent.write(beside: aside, in: staging.folder)
        probe(.planned)
        do throws(SystemError) {
            // Nobody else uses the name, so that it can only be free.
            _ = try moveToFreeName(folder, site.name, staging.folder, aside)
        } catch {
            try Intent.remove(beside: aside, in: staging.folder)
            if error.number == ENOENT { return .surprised }
            throw error
        }
        probe(.takenOut)
        guard let removed = try staging.folder.status(of: aside), try isExpected(aside, expecting)
        else {
            try giveBack(aside, folder, site)
            return .surprised
        }
        probe(.judged)
        try settle(folder)
        try staging.folder.unlink(aside)
        probe(.dropped)
        try Intent.remove(beside: aside, in: staging.folder)
        return .done(removed)
    }

    private func isExpected(
        _ name: [UInt8], _ expecting: Expectation
    ) throws(SystemError) -> Bool {
        guard let status = try staging.folder.status(of: name) else { return false }
        return try expecting.judge(status, named: name, in: staging.folder)
    }

    /// Swaps until what comes out is what we last put there, so that the user's latest save has the
    /// name. What is then left over is ours and dropped, or an earlier save and kept beside it.
    ///
    /// - Parameters:
    ///   - name: The staged name, which holds what came out of the tree.
    ///   - placed: What is at the path by our doing.
    private func putBack(
        _ name: [UInt8], placed ours: FileStatus, _ folder: borrowing Descriptor, _ site: Site
    ) throws(SystemError) -> InstallOutcome {
        var placed = ours
        for _ in 0..<Self.swapTries {
            guard let held = try staging.folder.status(of: name) else { break }
            probe(.putBack)
            guard try exchange(staging.folder, name, folder, site.name) else {
                // The user deleted what was there; the save that came out is worth more.
                break
            }
            guard let out = try staging.folder.status(of: name) else { break }
            if out.stamp.isSame(butForChangeOf: placed.stamp) {
                if out.stamp.isSame(butForChangeOf: ours.stamp) {
                    try staging.folder.unlink(name)
                }
                break
            }
            placed = held
        }
        try giveBack(name, folder, site)
        return .surprised
    }

    /// Brings back what is left in the staging folder, if anything, and forgets the intent.
    private func giveBack(
        _ name: [UInt8], _ folder: borrowing Descriptor, _ site: Site
    ) throws(SystemError) {
        if try staging.folder.status(of: name) != nil {
            _ = try Rescue(staging: staging).bring(name, to: site, in: folder)
        }
        try settle(folder)
        try Intent.remove(beside: name, in: staging.folder)
    }
}
