import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiText

/// Renames paths of the root, and publishes that as renames.
struct Renames: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Renames files, symlinks and folders durably, and publishes the renames. Nothing is replaced.
    ///
    /// A notice names what a rule ignores at its new name: that is a deletion for all others.
    ///
    /// Each path has its old or its new name at every moment. What a killed run has renamed is a
    /// local change, which the next run publishes as a rename.
    ///
    /// - Throws: Code `not-found` if a path does not exist, `exists` if something is at a new name,
    ///   `usage` for a folder that would be moved into itself, and where something ignored would no longer be;
    ///   nothing is renamed then.
    func move(_ renames: [PathRename], _ options: SyncOptions) async throws -> SyncReport {
        try await sync.reporting { try await moveAll(renames, options) }
    }

    private func moveAll(
        _ renames: [PathRename], _ options: SyncOptions
    ) async throws -> SyncReport {
        for rename in renames { try requireHeld(rename) }
        try await requirePossible(renames, options)
        try checkTargets(renames)
        try await sync.requireNotWithheld(renames.map(\.from), options)
        // Publish local changes first, and see what is new at both names.
        let before = try await sync.syncPaths(
            renames.flatMap { [$0.from, $0.to] }, options)
        for rename in renames { try check(rename, before) }
        var ignored = IgnoredPaths(root: root, filter: try rulesReader.runRules(options).filter)
        try requireStillIgnored(renames, &ignored, after: before)
        let published = try publishedPaths(renames, &ignored)
        let hidden = try hiddenNotices(renames, &ignored)
        let writer = try editor.makeWriter()
        var problems: [Problem] = []
        for rename in renames {
            do throws(Failure) {
                try writer.makeFolders(above: rename.to)
                let outcome = try writer.move(from: rename.from, to: rename.to, expecting: .any)
                if outcome == .surprised {
                    problems.append(.changedMeanwhile(rename.from, "renamed"))
                }
            } catch {
                problems.append(Problem(rename.from, error))
            }
        }
        try writer.flush()
        guard !published.isEmpty else {
            var report = before
            report.problems = problems + report.problems
            return report
        }
        // Not a deletion by name: if the new name is gone before the next run, the file is, and the limit counts it.
        var after = try await sync.afterChange("Renamed here", at: published[0]) {
            try await sync.syncPaths(published, options, after: before)
        }
        after.problems = problems + after.problems
        after.notices += hidden
        after.add(earlier: before)
        return after
    }

    /// Refuses a new name that a partial replica does not hold: the file would be deleted for all others.
    private func requireHeld(_ rename: PathRename) throws {
        try requireHeld([rename.from], orElse: Failure.nothingThere)
        guard let choice = try rulesReader.choice(), !choice.contains(rename.to) else { return }
        var command = "mv \(placeWord(rename.from)) \(placeWord(rename.to))"
        // Folders that hold nothing of the chosen paths are not here.
        if let folder = rename.to.parent, try !root.holds(folder) {
            command = "mkdir -p \(placeWord(folder)) && \(command)"
        }
        throw Failure.isOutside(rename, command: command)
    }

    /// Refuses renames before anything is sent: what is here must allow them, or what a run would receive.
    private func requirePossible(_ renames: [PathRename], _ options: SyncOptions) async throws {
        let refused = renames.filter { (try? check($0, SyncReport())) == nil }
        guard !refused.isEmpty else { return }
        let plan = try await sync.planPaths(renames.flatMap { [$0.from, $0.to] }, options)
        for rename in refused where !plan.brings(rename.from) && !plan.removes(rename.to) {
            try check(rename, plan)
        }
    }

    private func check(_ rename: PathRename, _ before: SyncReport) throws {
        let (from, to) = (rename.from, rename.to)
        guard try root.status(from) != nil else {
            if let away = before.away, try manifest.base(from) == nil { throw away }
            throw Failure.nothingThere(from)
        }
        guard to != from, !to.isInside(from) else {
            throw Failure(
                .usage, path: from.bytes, "Cannot be moved to itself: \(to).",
                remedy: "Give another name.")
        }
        // On a file system that folds both to one name, only the spelling changes.
        guard try root.status(to) == nil || root.twin(of: to) == from else {
            throw Failure.isTaken(to)
        }
        guard !root.hasLog(from) else {
            throw Failure(
                .changing, path: from.bytes, "A program has this database open.",
                remedy: "Close the program, and run the command again.")
        }
    }

    /// - Throws: Code `exists` if two paths are to get the same name, `usage` if one is in another.
    private func checkTargets(_ renames: [PathRename]) throws(Failure) {
        var targets: Set<RelativePath> = []
        for rename in renames where !targets.insert(rename.to).inserted {
            throw .isTaken(rename.to)
        }
        let sources = Set(renames.map(\.from))
        for rename in renames {
            guard let outer = rename.from.ancestors.first(where: sources.contains) else { continue }
            throw Failure(
                .usage, path: rename.from.bytes, "This path is in \(outer), which is moved, too.",
                remedy: "Give one of them.")
        }
    }

    /// The paths that are synced after the renames: all but ignored files that were never synced
    /// and stay ignored.
    private func publishedPaths(
        _ renames: [PathRename], _ ignored: inout IgnoredPaths
    ) throws -> [RelativePath] {
        var published: [RelativePath] = []
        for rename in renames {
            let isDirectory = try root.status(rename.from)?.kind == .directory
            let isPrivate =
                try ignored.contains(rename.from, isDirectory: isDirectory)
                && manifest.base(rename.from) == nil && manifest.local(rename.from) == nil
            // The new name is ignored, too.
            if !isPrivate { published += [rename.from, rename.to] }
        }
        return published
    }
}

extension Renames {
    /// Says which synced paths get a name that a rule ignores.
    private func hiddenNotices(
        _ renames: [PathRename], _ ignored: inout IgnoredPaths
    ) throws -> [Problem] {
        var notices: [Problem] = []
        for (from, to) in renames.map({ ($0.from, $0.to) }) where try manifest.base(from) != nil {
            let isFolder = try root.status(from)?.kind == .directory
            guard !ignored.contains(from, isDirectory: isFolder),
                ignored.rulesOut(to, isDirectory: isFolder)
            else { continue }
            notices.append(Problem(to, .hidden(from, as: to), isNews: true))
        }
        return notices
    }

    /// Refuses renames by which a path that a rule ignores would be published: a rule may name a place. Walks the folders
    /// that are renamed.
    ///
    /// - Throws: Code `usage`.
    private func requireStillIgnored(
        _ renames: [PathRename], _ ignored: inout IgnoredPaths, after before: SyncReport
    ) throws {
        for rename in renames {
            let isFolder = try root.status(rename.from)?.kind == .directory
            guard let above = ignored.filter(in: rename.to.parent),
                !above.ignores(rename.to.name, isDirectory: isFolder)
            else { continue }
            if ignored.contains(rename.from, isDirectory: isFolder) {
                throw try publishing(rename.from, as: rename.to, after: before)
            }
            guard isFolder, let old = ignored.filter(in: rename.from) else { continue }
            let new = try above.entering(rename.to.name) { try ignoreFile($0, in: rename.from) }
            try requireStillIgnored(in: rename.from, by: old, new, rename, after: before)
        }
    }

    private func requireStillIgnored(
        in folder: RelativePath, by old: any ScanFilter, _ new: any ScanFilter,
        _ rename: PathRename, after before: SyncReport
    ) throws {
        var folders = [(folder, old, new)]
        while let (folder, old, new) = folders.popLast() {
            for name in try root.names(in: folder) {
                let path = folder.appending(name)
                let isFolder = try root.status(path)?.kind == .directory
                let isKept = new.ignores(path.name, isDirectory: isFolder)
                if !isKept, old.ignores(path.name, isDirectory: isFolder) {
                    throw try publishing(
                        path, as: path.moved(from: rename.from, to: rename.to) ?? rename.to,
                        after: before)
                }
                guard isFolder, !isKept else { continue }
                let read = { try ignoreFile($0, in: path) }
                folders.append(
                    (
                        path, try old.entering(path.name, read: read),
                        try new.entering(path.name, read: read)
                    ))
            }
        }
    }

    /// Why an ignored path is not moved. Of one that is withheld, no rule says so.
    private func publishing(
        _ path: RelativePath, as new: RelativePath, after before: SyncReport
    ) throws -> Failure {
        let withheld = try withheldNote().withheldPaths
        return path.isAtOrInside(withheld)
            ? before.refusal(ofWithheld: path, in: withheld) : .publishes(path, as: new)
    }

    /// The ignore files in a folder move with it.
    private func ignoreFile(_ name: String, in folder: RelativePath) throws -> [UInt8]? {
        try IgnoredPaths.rules(name, in: folder, of: root)
    }
}

/// A path and its new name.
package struct PathRename: Hashable, Sendable {
    package var from: RelativePath
    package var to: RelativePath

    package init(from: RelativePath, to: RelativePath) {
        self.from = from
        self.to = to
    }
}

extension Failure {
    fileprivate static func publishes(_ path: RelativePath, as new: RelativePath) -> Failure {
        Failure(
            .usage, path: path.bytes,
            "A rule ignores this path, but not \(new): moving it would publish it. Nothing was moved.",
            remedy: "List the new name in .filesinkiignore first. To publish it, move it with the "
                + "system's mv, and run filesinki sync \(ShellWord.path(new.bytes)).")
    }

    fileprivate static func hidden(_ path: RelativePath, as new: RelativePath) -> Failure {
        let (name, old) = (ShellWord.path(new.bytes), ShellWord.path(path.bytes))
        return Failure(
            .usage, path: new.bytes,
            "A rule ignores this name, so it stays here only: "
                + "for the store and the other devices, \(path) is deleted.",
            remedy: "See the rule with filesinki check-ignore \(name). To have the old name "
                + "back everywhere, as a copy, run filesinki undelete \(old).")
    }

    /// A path was to get a name that the replica does not hold.
    ///
    /// - Parameter command: What renames it here.
    fileprivate static func isOutside(_ rename: PathRename, command: String) -> Failure {
        Failure(
            .usage, path: rename.to.bytes, "Outside of the paths that this replica holds.",
            remedy:
                "To rename \(rename.from) to it on all devices, run \(command), then filesinki only add "
                + "\(ShellWord.path(rename.to.bytes)) and filesinki sync.")
    }

    /// A path was to get a name that is not free.
    fileprivate static func isTaken(_ path: RelativePath) -> Failure {
        Failure(
            .exists, path: path.bytes, "This path exists already.",
            remedy: "Choose another name, or delete it first with filesinki delete "
                + "\(ShellWord.path(path.bytes)).")
    }
}
