import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import FilesinkiText

/// A conflict whose file in place was deleted, or has another name: it has ended on each device that knows of that. Its conflict
/// copy stays as an ordinary file, and if the path comes back, the conflict is open again.
extension Conflicts {
    /// Whether nothing is at the path of a conflict, and a run has sent or received that.
    func isGone(_ path: RelativePath) throws -> Bool {
        try !root.holds(path) && manifest.base(path) == nil
    }

    /// The conflict copies of a path that are still there, in order.
    func copiesLeft(of path: RelativePath) throws -> [RelativePath] {
        let own = try manifest.openConflicts(at: path).compactMap(\.copyPath)
        let named = try manifest.baseRows(beginning: conflictPrefix(of: path)).map(\.path)
            .filter { conflictOriginal(of: $0)?.path == path }
        return try Set(own + named).filter { try root.holds($0) }.sorted()
    }

    /// What has ended the conflicts of a path where nothing is any more, or under which name they go on; nil if something is
    /// there, or the path was not renamed and no copy is left.
    ///
    /// Costs a request if another device may have deleted it, and one for each further rename.
    ///
    /// - Parameter name: The path, or a conflict copy.
    func endedInPlace(_ name: RelativePath) async throws -> Failure? {
        let path = try path(ofConflict: name)
        guard try isGone(path) else { return nil }
        let copies = try copiesLeft(of: path)
        if copies.isEmpty { return try await goneOn(path) }
        guard name == path || copies.contains(name) else { return nil }
        var end = InPlaceEnd(path: path, copies: copies)
        if let version = try manifest.tombstone(path)?.version,
            let commit = try? await connected().log.read(version)
        {
            end.newName = commit.changes.first { $0.movedFrom == path }?.path
            if commit.device.id != config.device.id { end.device = commit.device }
        }
        return Failure(
            .notFound, path: path.bytes, end.message, remedy: end.remedy)
    }

    /// That the conflicts of a path have another name, because it was renamed together with their copies, as with a folder above
    /// them; nil if it was not.
    private func goneOn(_ path: RelativePath) async throws -> Failure? {
        let own = try manifest.openConflicts(at: path).compactMap(\.copyPath)
        let deleted = try deletedCopies(of: path).map(\.path)
        guard let renamed = try await renamed(path, with: Set(own + deleted)) else { return nil }
        let isOpen = try !openConflicts(at: renamed.path).isEmpty
        return Failure.goneOn(path, renamed, isOpen: isOpen)
    }

    /// How many renames of a conflict are followed.
    private static let followedRenames = 8

    /// Where a path is that was renamed with a conflict copy of it, perhaps several times, and by which other device last.
    private func renamed(
        _ path: RelativePath, with copies: Set<RelativePath>
    ) async throws -> (path: RelativePath, by: Device?)? {
        var (path, copies) = (path, copies)
        var found: (path: RelativePath, by: Device?)?
        for _ in 0..<Self.followedRenames where !copies.isEmpty {
            guard try manifest.base(path) == nil,
                let version = try manifest.tombstone(path)?.version,
                let commit = try? await connected().log.read(version),
                let next = commit.changes.first(where: { $0.movedFrom == path })?.path
            else { break }
            let renamed = commit.changes.filter { change in
                change.movedFrom.map(copies.contains) == true
                    && conflictOriginal(of: change.path)?.path == next
            }
            guard !renamed.isEmpty else { break }
            (path, copies) = (next, Set(renamed.map(\.path)))
            found = (next, commit.device.id == config.device.id ? nil : commit.device)
        }
        return found
    }

    private func path(ofConflict name: RelativePath) throws -> RelativePath {
        guard let original = conflictOriginal(of: name)?.path else { return name }
        let isOwn = try !manifest.openConflicts(at: name).isEmpty
        return isOwn ? name : original
    }
}

extension Conflicts {
    /// The new name of a file in place that was renamed here; nil if it is there, was deleted, or a run has sent that.
    ///
    /// If the file is missing, costs what ``LocalStateScan/find()`` costs.
    func nameHere(of path: RelativePath) async throws -> RelativePath? {
        guard try !root.holds(path), try manifest.base(path) != nil else { return nil }
        let noted = try manifest.loadLocal().first { $0.movedFrom == path }
        if let noted { return noted.path }
        return try await LocalStateScan(replica).find()?.newNames[path]
    }
}

extension Problem {
    /// That a resolve has written a version at the old name of a file that was renamed here.
    static func renamedHere(_ path: RelativePath, _ name: RelativePath) -> Problem {
        Problem(
            path,
            Failure(
                .declined,
                "It was renamed to \(printable(name.bytes)) here, and that file stays; "
                    + "the chosen version has the old name again.",
                remedy: "To remove the other file, run filesinki rm \(ShellWord.path(name.bytes)).")
        )
    }
}

extension Problem {
    /// Whether it says that the conflicts of its path have ended as nothing is there.
    fileprivate var isOfEndInPlace: Bool {
        failure.code == .declined && InPlaceEnd.endings.contains { failure.message.contains($0) }
    }
}

extension Conflicts {
    /// Adds what the first of two runs has said, but not that the conflicts of the path have ended as nothing was there: the
    /// command has written a version there since.
    ///
    /// - Parameter before: The first run; nil for none.
    func add(said before: SyncReport?, at path: RelativePath, to report: inout SyncReport) throws {
        guard var before else { return }
        if try !isGone(path) {
            before.notices.removeAll { $0.path == path && $0.isOfEndInPlace }
        }
        report.add(said: before)
    }
}

extension SyncEngine {
    /// Says of conflicts that have ended because a round has sent or received that the file in place was deleted or renamed.
    ///
    /// Costs no request, and a look at the copies of each deleted path.
    ///
    /// - Parameter done: The steps that were carried out.
    func reportEndsInPlace(_ run: inout SyncRun, _ done: [Step]) throws {
        for step in done where step.base != nil && !step.isFolder && step.leavesNothing {
            let left = try conflicts.copiesLeft(of: step.path)
            guard !left.isEmpty, try conflicts.isGone(step.path) else { continue }
            var end = InPlaceEnd(path: step.path, copies: left)
            if case .moved(let name) = step.reason { end.newName = name }
            let change = run.remote.changes[step.path]
            if change?.entry.entry.kind == .tombstone, change?.device?.id != config.device.id {
                end.device = change?.device
            }
            let failure = Failure(.declined, end.message, remedy: end.remedy)
            run.report.notices.append(Problem(step.path, failure, isNews: true))
        }
    }
}

/// Why the conflicts of a path have ended though their copies are there, in words.
private struct InPlaceEnd {
    /// Of one conflict, and of several.
    static let endings = ["its conflict has ended", "its conflicts have ended"]

    var path: RelativePath
    /// Those that stay; at least one.
    var copies: [RelativePath]
    /// What the path was renamed to; nil if it was deleted.
    var newName: RelativePath?
    /// The other device that did it; nil for this one, and where it is not known.
    var device: Device?

    var message: String {
        let deed = newName.map { "renamed to \(printable($0.bytes))" } ?? "deleted"
        let doer = device.map { " by \(printable($0.name.utf8))" } ?? ""
        let names = copies.map { "\"\(printable($0.bytes))\"" }.joined(separator: " and ")
        let ends = Self.endings[copies.count == 1 ? 0 : 1]
        return
            "It was \(deed)\(doer); \(ends), and \(names) \(copies.count == 1 ? "stays" : "stay")."
    }

    var remedy: String {
        let rest = "Rename or remove \(copies.count == 1 ? "the copy" : "the copies")"
        guard newName == nil else { return "\(rest)." }
        return "\(rest); filesinki undelete \(ShellWord.path(path.bytes)) opens "
            + "\(copies.count == 1 ? "the conflict" : "the conflicts") again."
    }
}

extension Failure {
    fileprivate static func goneOn(
        _ path: RelativePath, _ renamed: (path: RelativePath, by: Device?), isOpen: Bool
    ) -> Failure {
        let doer = renamed.by.map { " by \(printable($0.name.utf8))" } ?? ""
        return Failure(
            .notFound, path: path.bytes,
            "It was renamed to \(printable(renamed.path.bytes))\(doer); its conflict "
                + (isOpen
                    ? "goes on under that name."
                    : "was renamed with it, and is not open any more."),
            remedy: isOpen
                ? "See it with filesinki conflicts."
                : "To open it again, run filesinki resolve --undo \(ShellWord.path(renamed.path.bytes))."
        )
    }
}

extension Step {
    /// Whether nothing is at the path afterwards, here and there.
    fileprivate var leavesNothing: Bool {
        switch action {
        case .publish(let entry), .take(let entry), .both(let entry): entry.kind == .tombstone
        case .agree: ours == nil && theirs?.entry.kind == .tombstone
        case .undecided, .leave, .skip: false
        }
    }
}
