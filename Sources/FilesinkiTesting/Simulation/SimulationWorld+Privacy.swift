import FilesinkiEngine
import FilesinkiModel
import Glibc

/// What is private on a replica's disk is not sent, and no run removes it.
///
/// Beside ``secrets``, which are values at their paths, these are files: also what a user writes over them, and by the
/// names that they get with their folders.
extension SimulationWorld {
    /// The private files of a replica when a run begins.
    func privateFiles(
        _ run: SimulatedRun, _ disk: DiskMarks, _ omission: SimulatedOmission
    ) -> [PrivateFile] {
        guard !copied.contains(run.replica) else { return [] }
        var ledger = privacy[run.replica] ?? PrivacyLedger()
        ledger.present = ledger.files(disk, omission) { witness.everHeld($0).isEmpty }
        privacy[run.replica] = ledger
        return ledger.present
    }

    /// None of the files was sent, or is gone, unless the run names it, or the user did something meanwhile.
    ///
    /// - Parameters:
    ///   - omission: What the replica left out when the run began.
    ///   - published: What commits had then.
    func checkPrivate(
        _ files: [PrivateFile], _ run: SimulatedRun, _ before: TreeFixture, _ after: TreeFixture,
        _ omission: SimulatedOmission, _ published: Set<HeldValue>
    ) {
        guard !disturbed.contains(run.replica) else { return }
        let paths = Set(files.map(\.path))
        // The same content may be public at another path.
        let known = published.union(
            before.placements.filter { !paths.contains($0.path) }.map(\.value))
        let present = after.values
        for file in files where !known.contains(file.value) && !file.isNamed(by: run, omission) {
            if witness.values.contains(file.value) {
                addViolation(run, "published the private file \(file.path), as \(file.reason)")
            } else if !present.contains(file.value) {
                addViolation(run, "removed the private file \(file.path), as \(file.reason)")
            }
        }
    }

    /// Notes what is private after a run, and where the folders are.
    ///
    /// - Parameters:
    ///   - files: Those that were private when it began.
    ///   - old: The disk then.
    ///   - omission: What the replica left out then.
    func renewPrivacy(
        _ run: SimulatedRun, _ files: [PrivateFile], from old: DiskMarks, to after: TreeFixture,
        _ omission: SimulatedOmission, _ report: SyncReport?
    ) throws {
        let number = run.replica
        let isDecided = files.contains { $0.isNamed(by: run, omission) }
        guard !disturbed.contains(number), !copied.contains(number), !isDecided else {
            privacy[number] = nil
            return
        }
        let replica = replicas[number]
        let (disk, now) = (DiskMarks(after, in: replica.root), try replica.omission(run))
        let known = privacy[number] ?? PrivacyLedger()
        var renewed = PrivacyLedger()
        renewed.rules = now.rules
        let isWhole =
            run.task == .sync([]) && run.events.isEmpty && run.excluded == nil
            && report != nil && report?.away == nil && report?.stopped == nil
        for (path, mark) in disk.marks where mark.isFolder {
            renewed.folders[mark.inode] = path
            guard !now.leavesOut(path) else { continue }
            if isWhole {
                guard witness.tree[path]?.kind == .directory else { continue }
                renewed.synced[mark.inode] = path
            } else if old.marks[path]?.inode == mark.inode {
                renewed.synced[mark.inode] = known.synced[mark.inode]
            }
        }
        let found = known.files(disk, omission) { witness.everHeld($0).isEmpty }
        let noted = now.withheld.map(\.description)
        // Of what is not noted as a folder, other files in that may be public.
        for name in Set(found.map(\.path)).union(noted) {
            let values = disk.values(atAndBelow: name)
            guard let mark = disk.marks[name], let path = try? RelativePath(name),
                !now.ignores(path), !values.isEmpty, values.isDisjoint(with: witness.values)
            else { continue }
            renewed.withheld[name] = mark.kind
            if !isWhole, let synced = known.syncedName(of: name, disk),
                known.withheld[synced] == mark.kind
            {
                renewed.withheld[synced] = mark.kind
            }
            if isWhole, noted.contains(name) { renewed.noted.insert(mark.inode) }
        }
        privacy[number] = renewed
    }

    /// The user changes the rules of a replica: what is withheld there may be over.
    func endPrivacy(of number: Int) {
        privacy[number]?.withheld = [:]
        privacy[number]?.noted = []
    }
}

/// A file whose content must not be sent.
struct PrivateFile: Hashable, Sendable {
    var path: String
    var value: HeldValue
    /// The path of it, or of the folder above it, that is private as a whole.
    var root: String
    /// Why it is private, as the end of a sentence.
    var reason: String

    /// Whether the user publishes it by the run: a folder above ``root`` does not, unless it is what is withheld.
    func isNamed(by run: SimulatedRun, _ omission: SimulatedOmission) -> Bool {
        guard case .sync(let paths) = run.task else { return false }
        let withheld = Set(omission.withheld.map(\.description))
        return paths.contains {
            isAt(path, orBelow: $0) && (isAt($0, orBelow: root) || withheld.contains($0))
        }
    }
}

private func isAt(_ path: String, orBelow folder: String) -> Bool {
    path == folder || path.hasPrefix(folder + "/")
}

/// The files and folders on a replica's disk, with their inodes.
struct DiskMarks {
    struct Mark {
        var inode: UInt64
        var kind: mode_t
        var value: HeldValue?

        var isFolder: Bool { kind == S_IFDIR }
    }

    private(set) var marks: [String: Mark] = [:]

    /// - Parameters:
    ///   - tree: What is on the disk.
    ///   - root: Where it is.
    init(_ tree: TreeFixture, in root: String) {
        for (path, node) in tree.flat {
            var status = stat()
            guard lstat(root + "/" + path, &status) == 0 else { continue }
            marks[path] = Mark(
                inode: UInt64(status.st_ino), kind: status.st_mode & S_IFMT,
                value: HeldValue(node))
        }
    }

    func values(atAndBelow path: String) -> Set<HeldValue> {
        Set(marks.filter { isAt($0.key, orBelow: path) }.compactMap(\.value.value))
    }
}

/// What a replica has to keep private, as of its last run.
struct PrivacyLedger: Sendable {
    /// The path that each folder had, by its inode.
    var folders: [UInt64: String] = [:]
    /// The path by which a whole run has recorded those of them that were synced: by this they are known again. A run that
    /// is not whole may leave it as it is, whatever they are called then.
    var synced: [UInt64: String] = [:]
    /// What is withheld at each path, as the kind of file. A folder stands for all that is in it.
    var withheld: [String: mode_t] = [:]
    /// The inodes of what a whole run has noted as withheld: it is known when it is renamed by itself.
    var noted: Set<UInt64> = []
    /// The rules that held.
    var rules: [String?] = []
    /// What was private when the present run began.
    var present: [PrivateFile] = []

    /// Whether a command for a path may be refused, as it is private, has something private in it, or is in that.
    func mayRefuse(_ path: String) -> Bool {
        present.contains { isAt($0.path, orBelow: path) || isAt(path, orBelow: $0.path) }
    }

    /// The private files of a disk.
    ///
    /// Only what the manual promises: see ``formerName(_:_:_:)``. What was synced by a former name is not private by a rule
    /// that ignores that.
    ///
    /// - Parameter isNew: Whether no commit had something at a path.
    func files(
        _ disk: DiskMarks, _ omission: SimulatedOmission, isNew: (String) -> Bool
    ) -> [PrivateFile] {
        var names: [String: FormerName] = [:]
        var privates: [String: (root: String, reason: String)] = [:]
        var found: [PrivateFile] = []
        // A folder comes before what is in it.
        for (path, mark) in disk.marks.sorted(by: { $0.key < $1.key }) {
            let parts = path.split(separator: "/")
            let parent = parts.dropLast().joined(separator: "/")
            let name = String(parts.last ?? "")
            let former =
                parent.isEmpty ? FormerName(name, last: name) : names[parent]?.appending(name)
            let old = formerName(path, mark, former)
            names[path] = old
            let own = reason(path, mark, old, omission, isNew)
            guard let cause = privates[parent] ?? own.map({ (root: path, reason: $0) }) else {
                continue
            }
            privates[path] = cause
            guard let value = mark.value else { continue }
            found.append(
                PrivateFile(path: path, value: value, root: cause.root, reason: cause.reason))
        }
        return found
    }

    /// What something was called after the last run, or after the last whole one; nil if that is not known. A folder that is
    /// new has no former name, and neither has what was moved out of its folder by itself.
    ///
    /// A name that a folder had only between runs of which none was whole may be unknown.
    ///
    /// - Parameter former: Its name in the former folder.
    private func formerName(
        _ path: String, _ mark: DiskMarks.Mark, _ former: FormerName?
    ) -> FormerName? {
        guard mark.isFolder else { return former }
        guard let known = folders[mark.inode] else { return nil }
        if known == former?.last { return former }
        if known == path { return FormerName(path, last: path, isMoved: true) }
        guard let name = synced[mark.inode], name == known || !folders.values.contains(name)
        else { return nil }
        return FormerName(name, last: known, isMoved: true)
    }

    /// What a path was called when a whole run recorded the folder that it is in; nil if that has this name still, or
    /// something else has its former one.
    func syncedName(of path: String, _ disk: DiskMarks) -> String? {
        let parts = path.split(separator: "/")
        let parent = parts.dropLast().joined(separator: "/")
        guard let name = parts.last.map(String.init), let mark = disk.marks[parent] else {
            return nil
        }
        guard let folder = synced[mark.inode] else {
            return syncedName(of: parent, disk).map { $0 + "/" + name }
        }
        return folder == parent || disk.marks[folder] != nil ? nil : folder + "/" + name
    }

    /// Why something is private; nil if nothing says so.
    private func reason(
        _ path: String, _ mark: DiskMarks.Mark, _ former: FormerName?,
        _ omission: SimulatedOmission, _ isNew: (String) -> Bool
    ) -> String? {
        guard let here = try? RelativePath(path) else { return nil }
        if omission.ignores(here) { return "a rule ignores it" }
        if noted.contains(mark.inode) { return "it was withheld, maybe by another name" }
        guard let former, let name = try? RelativePath(former.path) else { return nil }
        let old = former.path
        if withheld[old] == mark.kind { return "\(old) was private before" }
        guard former.isFollowed, old != path, rules == omission.rules, isNew(old),
            omission.ignores(name)
        else { return nil }
        return "a rule ignores \(old), as its folder was called"
    }
}

/// What something was called before.
private struct FormerName {
    /// The name by which it is known again.
    var path: String
    /// The one that it had after the last run.
    var last: String
    /// Whether it was moved itself, not only a folder above it.
    var isMoved: Bool

    init(_ path: String, last: String, isMoved: Bool = false) {
        (self.path, self.last, self.isMoved) = (path, last, isMoved)
    }

    /// Whether rules that ignore it by this name apply.
    var isFollowed: Bool { !isMoved && path == last }

    /// What was called so in the folder.
    func appending(_ name: String) -> FormerName {
        FormerName(path + "/" + name, last: last + "/" + name)
    }
}
