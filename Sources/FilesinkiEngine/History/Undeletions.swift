import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// Restores many deleted paths together.
struct Undeletions: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// So many names that were not found are looked for among those of before a rename, so many that were renamed are
    /// followed, and of so many folders is said what does not come back with them.
    private static let hintedNames = 20

    /// Restores what ``Restores/undelete(_:_:)`` restores of each path, with one run and one commit. What cannot be restored is
    /// a problem of its path, and the others are restored.
    ///
    /// Costs the reading of the log once; once more if there are folders, and once more for names that were not found. Memory
    /// grows with the number of paths, and of what was in the folders; contents are written one by one.
    ///
    /// - Throws: What concerns all paths, such as code `away`.
    func undelete(
        _ paths: [RelativePath], _ options: SyncOptions
    ) async throws -> RestoreReport {
        try await sync.reporting { try await restoreLast(paths, options) }
    }

    private func restoreLast(
        _ paths: [RelativePath], _ options: SyncOptions
    ) async throws -> RestoreReport {
        var report = RestoreReport()
        var synced = try rulesReader.syncedPaths(options)
        let taken = try await failures(ofTaken: paths)
        var asked = try await report.keep(paths, path: \.self) {
            try requirePossible($0, &synced, taken)
        }
        asked = try await keepFree(asked, options, synced.rules, &report)
        guard !asked.isEmpty else { return report }
        try sync.noteEmptiedRoot()
        // What is here now is published first, so that it is in the history.
        let before = try await sync.syncPaths(asked, options, rules: synced.rules)
        var options = options
        options.operation = Change.undeleted
        asked = try await ManyRestores(replica).keepSynced(
            asked, path: \.self, after: before, options, &report)
        asked = try await report.keep(asked, path: \.self, requireAbsent)
        let reader = try await history.historyReader(after: before)
        let wanted = try await wanted(asked, in: reader, &report)
        let many = ManyRestores(replica)
        options.basesOfCopies = try await many.basesOfCopies(in: wanted)
        try await many.write(wanted, in: reader, options, &report)
        try await many.publish(asked, Change.undeleted, options, after: before, &report)
        let states = report.states
        report.notices.removeAll { states[$0.path] == nil }
        try await Restores(replica).noteDeletedEarlier(in: asked, &report)
        return report
    }

    /// The paths at which nothing is, or what another device has deleted. What is there, and stays, is refused before an edit
    /// of it is sent.
    private func keepFree(
        _ paths: [RelativePath], _ options: SyncOptions, _ rules: RunRules,
        _ report: inout RestoreReport
    ) async throws -> [RelativePath] {
        let present = try paths.filter { try root.status($0) != nil }
        guard !present.isEmpty else { return paths }
        let plan = try await sync.planPaths(present, options, rules: rules)
        return try await report.keep(paths, path: \.self) {
            if !plan.removes($0) { try requireAbsent($0) }
        }
    }

    /// - Throws: Code `exists` if something is at the path.
    func requireAbsent(_ path: RelativePath) throws {
        guard let found = try root.status(path) else { return }
        throw found.kind == .directory ? Failure.folderIsThere(path) : Failure.isNotDeleted(path)
    }

    /// - Parameter taken: See ``failures(ofTaken:)``.
    func requirePossible(
        _ path: RelativePath, _ synced: inout SyncedPaths, _ taken: [RelativePath: Failure]
    ) throws {
        try requireHeld(path, at: nil)
        try synced.require(path, orElse: remedyOfIgnored)
        if let failure = taken[path] { throw failure }
        if try root.status(path)?.kind == .directory { throw Failure.folderIsThere(path) }
        try Restores(replica).requireNoFolder(under: path)
    }

    /// What the paths held before they were deleted, folders with what was in them, each path once, parents first.
    func wanted(
        _ paths: [RelativePath], in reader: HistoryReader, _ report: inout RestoreReport
    ) async throws -> [ManyRestores.Wanted] {
        let lives = try await history.lastDeleted(of: Set(paths), in: reader)
        let moved = paths.filter { lives[$0]?.isMovedAway == true }.prefix(Self.hintedNames)
        report.notices += try await renamedNotices(Array(moved), in: reader)
        try await addMissing(paths.filter { lives[$0] == nil }, in: reader, &report)
        let folders = lives.filter { $0.value.last.change.entry.kind == .directory }
        let inside = try await history.deletedChildren(
            of: folders.compactMapValues(\.end), in: reader)
        report.notices += inside.sorted { $0.key < $1.key }.prefix(Self.hintedNames)
            .compactMap { $0.value.notice(of: $0.key) }
        report.notices += paths.prefix(Self.hintedNames)
            .compactMap { lives[$0]?.noticeOfCover(at: $0) }
        var found: [RelativePath: ManyRestores.Wanted] = [:]
        // A folder's content comes after a path of its own: the upper folder, as the first, decides.
        for path in paths.sorted() {
            guard let last = lives[path]?.last else { continue }
            for (name, entry) in [(path, last.change.entry)] + (inside[path]?.entries ?? [])
            where found[name] == nil {
                found[name] = .init(
                    path: name, entry: entry, version: last.version, commit: inside[path]?.commit)
            }
        }
        return found.values.sorted { $0.path < $1.path }
    }

    private func addMissing(
        _ paths: [RelativePath], in reader: HistoryReader, _ report: inout RestoreReport
    ) async throws {
        guard !paths.isEmpty else { return }
        var names = paths.prefix(Self.hintedNames).map(EarlierNames.init(of:))
        // A hint only: what is found is restored, whatever the log says.
        try? await reader.forEach { commit in
            for index in names.indices { names[index].fold(commit) }
            return true
        }
        for (index, path) in paths.enumerated() {
            let earlier = index < names.count ? names[index].deleted : nil
            report.problems.append(Problem(path, .noDeletedFile(path, earlier: earlier)))
        }
    }
}

extension History {
    /// What `undelete` brings back of each path; none for a path that the log does not have. Reads the log once.
    func lastDeleted(
        of paths: Set<RelativePath>, in reader: HistoryReader
    ) async throws -> [RelativePath: PathLife] {
        var lives: [RelativePath: LastDeletedLife] = [:]
        try await reader.forEach { commit in
            for version in commit.versions(where: paths.contains) {
                lives[version.change.path, default: LastDeletedLife()].add(version)
            }
            return true
        }
        return lives.compactMapValues(\.life)
    }
}
