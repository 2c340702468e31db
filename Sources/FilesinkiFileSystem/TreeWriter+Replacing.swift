import CKernel
import FilesinkiHashing
package import FilesinkiModel
import FilesinkiSystem
import Glibc

extension TreeWriter {
    /// The maximum number of times that a user's concurrent save is exchanged back, and that an
    /// unconditional replacement is tried.
    static let tries = 100

    /// Replaces the file at a path with a staged one, and checks the file that was replaced.
    ///
    /// - Parameter companions: The companions of a live file; nil for any other file.
    func replace(
        _ staged: StagedFile, _ ours: FileStatus, _ folder: borrowing FileHandle, _ site: Site,
        _ expecting: Expectation, _ companions: Companions?
    ) throws(SystemError) -> InstallOutcome {
        probe(.allowed)
        noteLive(staged)
        keepAttributes(of: site, in: folder, for: staged, ours)
        if companions == nil,
            let outcome = try replaceByExchange(staged, ours, folder, site, expecting)
        {
            return outcome
        }
        return try replaceAside(staged, ours, folder, site, expecting, companions)
    }

    /// - Returns: Nil when the file system cannot exchange names; then nothing has changed.
    private func replaceByExchange(
        _ staged: StagedFile, _ ours: FileStatus, _ folder: borrowing FileHandle, _ site: Site,
        _ expecting: Expectation
    ) throws(SystemError) -> InstallOutcome? {
        let intent = Intent(ours: ours.stamp, expecting, site.path)
        try intent.write(beside: staged.name, in: staging.folder)
        probe(.planned)
        let exchange = try staging.exchange(staged.name, with: site.name, in: folder)
        guard exchange == .done else {
            try Intent.remove(beside: staged.name, in: staging.folder)
            return exchange == .missing ? .surprised : nil
        }
        // From here on the staged name is the replaced file.
        staged.markInstalled()
        probe(.takenOut)
        guard try isExpected(staged.name, expecting) else {
            return try putBack(staged.name, placed: ours, folder, site)
        }
        probe(.judged)
        try syncIfEach(folder)
        try staging.folder.unlink(staged.name)
        probe(.dropped)
        try Intent.remove(beside: staged.name, in: staging.folder)
        return try confirm(ours, folder, site)
    }

    /// Replaces in two steps: moves the present file out and checks it, then moves the staged file
    /// to the free name. Used where names cannot be exchanged, and for a live file, whose
    /// companions move too. A user's save in between is kept.
    private func replaceAside(
        _ staged: StagedFile, _ ours: FileStatus, _ folder: borrowing FileHandle, _ site: Site,
        _ expecting: Expectation, _ companions: Companions?
    ) throws(SystemError) -> InstallOutcome {
        let aside = staged.name + Intent.asideSuffix
        let intent = Intent(ours: ours.stamp, expecting, site.path)
        try intent.write(beside: aside, in: staging.folder)
        probe(.planned)
        guard try takeOut(folder, site, as: aside, expecting, companions) != nil else {
            return .surprised
        }
        let isFree: Bool
        do throws(SystemError) {
            isFree = try staging.place(staged.name, at: site.name, in: folder)
        } catch {
            try giveBack(aside, folder, site)
            throw error
        }
        if isFree { staged.markInstalled() }
        probe(.placed)
        try drop(aside, folder, isLive: companions != nil)
        return isFree ? try confirm(ours, folder, site) : .surprised
    }

    /// Removes a file or a symlink: moves it to staging, checks it, and deletes or restores it.
    ///
    /// - Parameter expecting: What may be removed. ``Expectation/absent`` matches nothing.
    package func remove(
        _ path: RelativePath, expecting: Expectation
    ) throws(Failure) -> InstallOutcome {
        guard let parent = try root.openParentIfThere(of: path) else { return .surprised }
        let site = Site(path)
        probe(.begun)
        guard let expecting = try settled(expecting, at: path, in: parent.descriptor) else {
            return .surprised
        }
        guard try root.twin(of: path) == nil else { return .surprised }
        do {
            let companions = try companions(of: site, in: parent.descriptor)
            guard let found = try parent.descriptor.liveStatus(of: site.name),
                expecting.allows(found)
            else {
                return .surprised
            }
            probe(.allowed)
            return try remove(parent.descriptor, site, expecting, companions)
        } catch { throw error.failure("remove it", path) }
    }

    /// Removes an entry that matches `expecting`.
    ///
    /// - Parameter companions: The companions of a live file; nil for any other file.
    func remove(
        _ folder: borrowing FileHandle, _ site: Site, _ expecting: Expectation,
        _ companions: Companions?
    ) throws(SystemError) -> InstallOutcome {
        let aside = staging.nextName()
        // A live file without its companions cannot be checked after a kill, so it is restored.
        let intent = Intent(ours: nil, companions == nil ? expecting : .absent, site.path)
        try intent.write(beside: aside, in: staging.folder)
        probe(.planned)
        guard let removed = try takeOut(folder, site, as: aside, expecting, companions) else {
            return .surprised
        }
        try drop(aside, folder, isLive: companions != nil)
        return .done(removed)
    }

    /// Moves the file at the site to staging and checks it. An unexpected file is restored.
    ///
    /// - Returns: The status of the moved file; nil when it was restored or absent. Then the
    ///   intent is removed.
    func takeOut(
        _ folder: borrowing FileHandle, _ site: Site, as aside: [UInt8],
        _ expecting: Expectation, _ companions: Companions?
    ) throws(SystemError) -> FileStatus? {
        do throws(SystemError) {
            try staging.takeOut(folder, site.name, as: aside)
        } catch {
            try Intent.remove(beside: aside, in: staging.folder)
            if error.number == ENOENT { return nil }
            throw error
        }
        probe(.takenOut)
        var isSame = true
        if let companions {
            try staging.takeOutCompanions(folder, site.name, as: aside)
            isSame = try Companions(of: aside, in: staging.folder).isSame(as: companions)
        }
        guard isSame, let found = try staging.folder.status(of: aside),
            try isExpected(aside, expecting)
        else {
            try giveBack(aside, folder, site)
            return nil
        }
        probe(.judged)
        return found
    }

    private func drop(
        _ aside: [UInt8], _ folder: borrowing FileHandle, isLive: Bool
    ) throws(SystemError) {
        try syncIfEach(folder)
        try staging.drop(aside, isLive: isLive)
        probe(.dropped)
        try Intent.remove(beside: aside, in: staging.folder)
    }

    private func isExpected(
        _ name: [UInt8], _ expecting: Expectation
    ) throws(SystemError) -> Bool {
        guard let status = try staging.folder.status(of: name) else { return false }
        return try expecting.judge(status, named: name, in: staging.folder)
    }

    /// Exchanges until the file that comes out is the one placed last, so that the user's latest
    /// save has the name. The remaining staged file is removed if it is ours, or kept beside the
    /// path if it is an earlier save.
    ///
    /// - Parameters:
    ///   - name: The staged name of the file that came out of the tree.
    ///   - placed: The file that was placed at the path.
    private func putBack(
        _ name: [UInt8], placed ours: FileStatus, _ folder: borrowing FileHandle, _ site: Site
    ) throws(SystemError) -> InstallOutcome {
        var placed = ours
        for _ in 0..<Self.tries {
            guard let held = try staging.folder.status(of: name) else { break }
            probe(.putBack)
            // The user deleted the file at the path; the save is kept instead.
            guard try staging.exchange(name, with: site.name, in: folder) == .done else { break }
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

    /// Restores the staged file, if any, and removes the intent.
    func giveBack(
        _ name: [UInt8], _ folder: borrowing FileHandle, _ site: Site
    ) throws(SystemError) {
        if try staging.folder.status(of: name) != nil {
            _ = try Rescue(staging: staging).restore(name, to: site, in: folder)
        }
        try syncIfEach(folder)
        try Intent.remove(beside: name, in: staging.folder)
    }
}

extension TreeWriter {
    /// Replaces a live file in place, because programs may have it open.
    ///
    /// - Returns: Nil when one of the two is not a live file; it is then replaced like any file.
    func replaceLive(
        _ staged: StagedFile, _ ours: FileStatus, _ folder: borrowing FileHandle, _ site: Site,
        _ expecting: Expectation
    ) throws(Failure) -> InstallOutcome? {
        guard let live = root.live, folder.holdsLive(site.name, live),
            staging.folder.holdsLive(staged.name, live), let place = folder.place,
            let scratch = staging.folder.place,
            let name = String(validating: site.name, as: UTF8.self)
        else { return nil }
        let content = "\(scratch)/\(String(decoding: staged.name, as: UTF8.self))"
        probe(.allowed)
        let raw = folder.raw
        let isDone: Bool
        do throws(Failure) {
            isDone = try live.replace("\(place)/\(name)", with: content) {
                current throws(Failure) in
                try Self.isExpected(current, raw, site, expecting)
            }
        } catch { throw error.about(site.path) }
        guard isDone else { return .surprised }
        return try finishLive(ours, folder, site)
    }

    private static func isExpected(
        _ snapshot: String, _ folder: Int32, _ site: Site, _ expecting: Expectation
    ) throws(Failure) -> Bool {
        switch expecting {
        case .absent, .link: return false
        case .any: return true
        case .stamp(let stamp):
            guard let copy = FileHandle(dup(folder)) else { return false }
            do { return try copy.liveStatus(of: site.name)?.stamp == stamp } catch {
                throw error.failure("examine it", site.path)
            }
        case .content(let content, _):
            var hasher = ContentHasher()
            do {
                let file = try FileHandle(snapshot, O_RDONLY)
                _ = try file.forEachPiece(capacity: 1 << 20) { hasher.update($0) }
            } catch { return false }
            return hasher.finish() == content
        }
    }

    /// The expectation for a live file as a stamp, after comparing its content; nil when the
    /// content differs.
    func settled(
        _ expecting: Expectation, at path: RelativePath, in folder: borrowing FileHandle
    ) throws(Failure) -> Expectation? {
        guard case .content(let content, _) = expecting, folder.holdsLive(path.name, root.live)
        else { return expecting }
        let current = try root.openContent(path)
        var hasher = ContentHasher()
        do {
            _ = try current.file.forEachPiece(capacity: 1 << 20) { hasher.update($0) }
        } catch { return nil }
        return hasher.finish() == content ? .stamp(current.shown.stamp) : nil
    }

    /// Sets the mode and time of a file that was replaced in place.
    private func finishLive(
        _ ours: FileStatus, _ folder: borrowing FileHandle, _ site: Site
    ) throws(Failure) -> InstallOutcome {
        do {
            guard let found = try folder.status(of: site.name), found.kind == .file else {
                return .surprised
            }
            guard try setMode(of: site.name, in: folder, found, ours.mode) else {
                return .surprised
            }
            let times = [
                timespec(tv_sec: 0, tv_nsec: Int(fsk_time_omit)), ours.stamp.modified.timespec,
            ]
            let raw = folder.raw
            guard site.name.withCString({ utimensat(raw, $0, times, AT_SYMLINK_NOFOLLOW) }) == 0,
                let now = try folder.liveStatus(of: site.name)
            else { return .surprised }
            return .done(now)
        } catch { throw error.failure("replace it", site.path) }
    }

    /// A log left at the free path of a new live file would be applied to it. A log beside an
    /// existing file is that file's own.
    func refuseOrphans(
        _ staged: StagedFile, _ folder: borrowing FileHandle, _ site: Site
    ) throws {
        guard let live = root.live, live.isLive(staged.header),
            try folder.status(of: site.name) == nil
        else { return }
        for ending in [LiveCompanion.log, LiveCompanion.journal]
        where try folder.statusIfNamed(site.name + ending) != nil {
            throw Failure(
                .exists, path: site.path.bytes,
                "The log of another database is in the way.",
                remedy: "Move \(printable(site.name + ending)) away and run again.")
        }
    }

    /// Lets a live file be read as what is installed now.
    func noteLive(_ staged: StagedFile) {
        guard let live = root.live, live.isLive(staged.header), let scratch = staging.folder.place
        else { return }
        // A note that cannot be written costs a version at most.
        try? live.willInstall("\(scratch)/\(String(decoding: staged.name, as: UTF8.self))")
    }

    /// The companions of a live file; nil for any other file.
    func companions(
        of site: Site, in folder: borrowing FileHandle
    ) throws(SystemError) -> Companions? {
        guard folder.holdsLive(site.name, root.live) else { return nil }
        return try Companions(of: site.name, in: folder)
    }
}
