import CKernel
import FilesinkiHashing
import FilesinkiModel
import FilesinkiSystem
import Glibc

extension TreeWriter {
    /// Replaces a live file by another in place, for programs may have it open.
    ///
    /// - Returns: Nil when one of the two is none, so that it is replaced like any file.
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

    /// What a live file's content amounts to as a stamp, for a step that goes by what lies in the
    /// file; nil when the content is another one.
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

    /// Gives a replaced file the mode and time that it would have by another way.
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

    /// A log that still lies where a live file is to come would be played into it.
    func refuseOrphans(
        _ staged: StagedFile, _ folder: borrowing FileHandle, _ site: Site
    ) throws {
        guard let live = root.live, live.isLive(staged.header) else { return }
        for ending in [LiveCompanion.log, LiveCompanion.journal]
        where try folder.status(of: site.name + ending) != nil {
            throw Failure(
                .exists, path: site.path.bytes,
                "A log of another database lies beside the place of this one.",
                remedy: "Move \(printable(site.name + ending)) away and run again.")
        }
    }

    /// What lies beside a live file; nil when it is none.
    func companions(
        of site: Site, in folder: borrowing FileHandle
    ) throws(SystemError) -> Companions? {
        guard folder.holdsLive(site.name, root.live) else { return nil }
        return try Companions(of: site.name, in: folder)
    }
}
