import ArgumentParser
import FilesinkiEngine
import FilesinkiMerge
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText
import Synchronization

/// `diff`: two versions of a path, line by line.
struct DiffCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compare two versions of a path, or a version with the current file.",
        discussion: """
            Without a version, compares the newest version with the current file; with --at or \
            --commit, the version of that time or commit. With --commit and no path, prints what that \
            commit changed, of all paths. Where only the mode differs, one line says so; between two \
            versions, also where only the time does. With --explain, prints the places that differ, \
            as the cells of a database. Exits with 0 if they are equal and with 1 if they differ. On a \
            terminal, long output goes through $PAGER.
            """)

    @Argument(help: "The path to compare.", completion: .file())
    var path: String?

    @Argument(help: "The older version.")
    var first: UInt64?

    @Argument(help: "The newer version; the current file if omitted.")
    var second: UInt64?

    @OptionGroup var history: HistoryOptions

    @Flag(name: .long, help: "Compare the versions of an open conflict.")
    var conflict = false

    @Flag(
        name: .long,
        help: """
            Print what differs, place by place; with --conflict, what a merge decides, and what it \
            cannot.
            """)
    var explain = false

    @Flag(name: .long, help: "Print how many lines were added and removed.")
    var stat = false

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(
            replica, naming: path.map { [$0] } ?? [], writable: false, in: console)
        guard let path else {
            // Without a commit, the arguments were refused.
            return try await showCommit(history.commit ?? 0, session)
        }
        let target = try session.path(path)
        if explain, conflict { return try await explainConflict(at: target, session) }
        let differences =
            conflict
            ? try await conflictDifferences(of: target, session)
            : [try await difference(of: target, session)]
        if explain, let one = differences.first, one.old != one.new {
            return try await explainDifference(one, session)
        }
        try show(differences.filter(\.isSome), in: console)
        if !report.json {
            for step in differences.compactMap(\.step) { console.say(step) }
        }
        return differences.contains { $0.isSome } ? .negative : .done
    }

    func validate() throws {
        if path == nil, history.commit == nil || conflict {
            throw ValidationError("Missing expected argument '<path>'")
        }
        if conflict, first != nil || history.isGiven {
            throw ValidationError("--conflict cannot be combined with versions, --at or --commit.")
        }
        if explain, path == nil || stat {
            throw ValidationError("--explain needs a path, and excludes --stat.")
        }
        if first != nil, history.isGiven {
            throw ValidationError("--at and --commit cannot be combined with versions.")
        }
    }

    private func difference(
        of target: RelativePath, _ session: Session
    ) async throws -> Difference {
        let point =
            if let point = try history.point(in: session.console) { point } else {
                HistoryPoint.version(try await session.older(target, typed: path ?? "", first))
            }
        let old = try await session.content(following: target, at: point)
        let new =
            if let second {
                try await session.content(following: target, at: .version(second))
            } else {
                try await session.contentNow(following: target, asOf: old.ownVersion)
            }
        var difference = Difference(
            path: target, old: old.content, oldName: old.name, new: new.content, newName: new.name)
        guard old.content == new.content else {
            if MergeTrace.hasPlaces([old.content, new.content], base: []) {
                difference.step = placesStep(of: target, session.console.hints)
            }
            return difference
        }
        // A time that is here may be coarser than the one that was sent.
        let isSent = second != nil
        difference.note =
            old.entry.modeChange(to: new.entry)
            ?? (isSent ? old.entry.timeChange(to: new.entry) : nil)
        return difference
    }

    /// Of each conflict of a path, or of that with a copy.
    private func conflictDifferences(
        of target: RelativePath, _ session: Session
    ) async throws -> [Difference] {
        let open = try await session.openConflictsWithBases()
        try await session.requireNotEnded(target, open)
        let found = open.named(target)
        var differences: [Difference] = []
        // Where there is none, the name is not one.
        for conflict in found.isEmpty ? [try open.one(target)] : found {
            differences += try await self.differences(of: conflict, among: open, session)
        }
        return differences
    }

    /// From the base to here, and from the base to there; where there is no base to read, from there to here. Of a folder,
    /// that it is one.
    private func differences(
        of open: OpenConflict, among all: OpenConflicts, _ session: Session
    ) async throws -> [Difference] {
        let target = open.path
        let isOneOfSeveral = all.isOneOfSeveral(open)
        var sides: [Difference] = []
        for side in open.sides.inOrder {
            let isFolder = open.isFolder(side)
            let title = open.title(of: side, isOneOfSeveral: isOneOfSeveral)
            sides.append(
                Difference(
                    path: target, old: [], oldName: Difference.nothing,
                    new: isFolder ? [] : try await session.content(of: side, in: open),
                    newName: "\(target) \(title)", isDeleted: open.entry(of: side) == nil,
                    note: isFolder ? "folder" : nil))
        }
        let base = try await session.base(of: open)
        if MergeTrace.hasPlaces(sides.map(\.new), base: base ?? []) {
            sides[0].step = all.placesStep(of: open)
        }
        if let base {
            let isFolder = open.conflict.base?.kind == .directory
            for index in sides.indices {
                sides[index].old = base
                sides[index].oldName = "\(target) base\(isFolder ? " (folder)" : "")"
            }
            return sides
        }
        // A folder is nothing to compare with.
        if open.sides.inOrder.contains(where: open.isFolder) { return sides }
        var difference = sides[0]
        (difference.old, difference.oldName) = (sides[1].new, sides[1].newName)
        return [difference]
    }

    private func show(_ differences: [Difference], in console: Console) throws {
        if report.json {
            for difference in differences { try console.output.json(difference.json) }
            return
        }
        if stat {
            var table = DifferenceTable()
            for difference in differences { table.add(difference) }
            return try table.write(in: console)
        }
        try Pager.show(in: console) { write in
            for difference in differences {
                for line in difference.lines(console.outputStyle) { try write(line + [0x0A]) }
            }
        }
    }
}

extension Session {
    /// The largest content that is compared, in bytes.
    private static var comparedLimit: Int { 64 << 20 }

    /// The version given, or the newest one that the path has.
    ///
    /// - Parameter typed: The path as it was typed, which a folder of the replica may precede in `path`.
    fileprivate func older(
        _ path: RelativePath, typed: String, _ given: UInt64?
    ) async throws -> UInt64 {
        let known = try await replica.list([path]).first { $0.0 == path }
        let wanted = VersionedPath("\(path)")
        // A number in the place of a path, unless a file has, or had, this name.
        let isDeleted = try await replica.deleted([path]).contains { $0.path == path }
        let isRevision = VersionedPath(typed).isRevision
        if let given, known != nil || isDeleted || !isRevision { return given }
        guard let newest = known else {
            if let fate = try? await replica.fate(of: path) { throw try await ended(path, fate) }
            if let version = wanted.version {
                throw Failure(
                    .notFound, path: path.bytes, "No version was found.",
                    remedy: "A version follows the path: filesinki diff "
                        + "\(ShellWord.path(Array(wanted.path.utf8))) \(version).")
            }
            if isRevision {
                let commit = given ?? UInt64(typed.drop { $0 == "@" })
                let ofCommit = commit.map { " " + CommitSummary.remedy(of: $0) }
                throw Failure(
                    .notFound, path: ArgumentText.bytes(of: typed), "No version was found.",
                    remedy: "A version is one of a path, and follows it: filesinki diff PATH 1 2; "
                        + "filesinki log PATH lists them.\(ofCommit ?? "")")
            }
            throw Failure(
                .notFound, path: path.bytes, "No version was found.",
                remedy: "List current files with filesinki ls, and the versions of this path with "
                    + "filesinki log \(ShellWord.path(path.bytes)).")
        }
        if newest.1.entry.kind == .directory {
            let word = ShellWord.path(path.bytes)
            throw Failure(
                .notFound, path: path.bytes, "A folder has no content.",
                remedy:
                    "Name a file in it. To list what changed in it, use filesinki log \(word), and for what is not "
                    + "synced yet filesinki sync --dry-run \(word).")
        }
        return newest.1.version
    }

    /// A content of a conflict: from the path, where it is the same, else from the store.
    ///
    /// - Throws: Code `not-found` if the store does not hold it.
    func content(of entry: Entry?, at path: RelativePath) async throws -> [UInt8] {
        guard let entry, entry.kind == .file else { return entry?.target ?? [] }
        let limit = Self.comparedLimit
        if let bytes = try await replica.present(entry, at: path, limit: limit) { return bytes }
        return try await collect(path) { try await replica.show(content: entry.content, $0) }
    }

    /// The version of the device that found a conflict. It may not be stored yet: then it is what is at its path now.
    func contentOfOurs(_ entry: Entry?, at path: RelativePath) async throws -> [UInt8] {
        do {
            return try await content(of: entry, at: path)
        } catch let failure as Failure where failure.code == .notFound {
            return try await contentNow(at: path)
        }
    }

    /// The content that is here now, whether it is synced or not.
    func contentNow(at path: RelativePath) async throws -> [UInt8] {
        try await contentAndEntryNow(at: path).content
    }

    /// The content at a point of the history.
    func content(_ path: RelativePath, in tree: TreeAtPoint) async throws -> [UInt8] {
        try await collect(path) { try await replica.show(path, in: tree, $0) }
    }

    /// The content that is here now, with its entry.
    ///
    /// - Throws: Code `not-found` if nothing is there.
    func contentAndEntryNow(
        at path: RelativePath
    ) async throws -> (content: [UInt8], entry: Entry) {
        do {
            var entry = Entry.tombstone
            let content = try await collect(path) {
                entry = try await replica.load(path, isOffline: true, SyncOptions(), $0).entry
            }
            return (content, entry)
        } catch let failure as Failure where failure.code == .notFound {
            throw try await isListed(path) ? .deletedHere(path) : failure
        }
    }

    private func collect(
        _ path: RelativePath,
        _ read: (@escaping @Sendable (UnsafeRawBufferPointer) throws -> Void) async throws -> Void
    ) async throws -> [UInt8] {
        let content = Mutex<[UInt8]>([])
        try await read { part in
            try content.withLock { bytes in
                guard bytes.count + part.count <= Self.comparedLimit else {
                    throw Failure(
                        .limit, path: path.bytes, "The file is too large to compare.",
                        remedy: "Compare the contents with cmp, from filesinki show.")
                }
                bytes.append(contentsOf: part)
            }
        }
        return content.withLock { $0 }
    }
}
