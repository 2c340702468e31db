import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// `ls`: what the replica and the remote agree on.
struct ListCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List files, folders and symlinks as of the last sync.",
        discussion: """
            Lists everything that the store has, also what a partial replica does not hold, and what a rule \
            ignores here; with -l the latter is marked. In a folder of the replica, lists what is \
            below it, with paths relative to it, as git ls-files does; --json has paths from the root. \
            With --at or --commit, lists the tree of that time or commit. With --deleted, a path \
            with *, ? or [ that was not deleted by that name is a pattern, as in a .gitignore of the root. What was \
            deleted here and is not yet sent is listed, too: with -l it is marked, else a message counts it. What a \
            prune has removed since stays listed until that is forgotten, and is marked with -l. The old \
            name of what was renamed is not listed: it is not deleted. Nor is a conflict copy that was \
            resolved, unless --all is given, or a path that matches nothing else. Exits with 1 if there are none, or a \
            path is not found.
            """,
        aliases: ["list"])

    @Argument(help: "Only these paths and everything below them.", completion: .file())
    var paths: [String] = []

    @Flag(
        name: .shortAndLong,
        help: "Show mode, size, time and version; of deleted paths, who deleted them and when.")
    var long = false

    @Flag(name: .long, help: "List deleted paths, which undelete can restore.")
    var deleted = false

    @Flag(name: .long, help: "With --deleted: list conflict copies that were resolved, too.")
    var all = false

    @OptionGroup var history: HistoryOptions
    @OptionGroup var list: PathsOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func validate() throws {
        if deleted, history.isGiven {
            throw ValidationError("--deleted cannot be combined with --at or --commit.")
        }
        if all, !deleted { throw ValidationError("--all goes with --deleted.") }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        guard let paths = try list.all(paths, in: console) else { return .negative }
        let point = try history.point(in: console)
        let session = try await Session.open(
            replica, near: paths.first.flatMap { $0.hasPrefix("/") ? $0 : nil }, writable: false,
            remote: point != nil || deleted && long, in: console)
        let names = ArgumentPaths(session.root, currentFolder: console.currentFolder)
        // Without a path, everything below the current folder is meant.
        let folder = paths.isEmpty ? names.folder : nil
        if deleted { return try await listDeleted(below: folder, paths, session, names, console) }
        let chosen = try folder.map { [$0] } ?? session.paths(paths)
        var listing =
            if let point {
                Listing(entries: try await session.tree(at: point, of: chosen).entries)
            } else {
                try await session.listing(of: chosen)
            }
        // The current folder was not named, and may be a new one.
        let isAllFound =
            try folder != nil
            || session.report(missing: chosen, in: listing.entries.map(\.0), at: point)
        if chosen.isEmpty || folder != nil, point == nil, listing.entries.isEmpty {
            let place = folder.map { " below \($0)" } ?? ""
            let isSynced = try await session.replica.status().token != nil
            console.sayNothing(
                isSynced
                    ? "There are no files\(place) as of the last sync."
                    : "Nothing was synced yet: ls lists files as of the last sync.",
                remote: await session.replica.remoteAddress)
        }
        listing.entries.removeAll { $0.0 == folder }
        try show(listing, names, in: console)
        return listing.entries.isEmpty || !isAllFound ? .negative : .done
    }

    /// - Parameter folder: The current folder, where no path was given.
    private func listDeleted(
        below folder: RelativePath?, _ paths: [String], _ session: Session, _ names: ArgumentPaths,
        _ console: Console
    ) async throws -> ExitCode {
        var (found, missing) = try await session.deleted(paths, all: all)
        let unsent = try await UnsentDeletedPaths(session)
        try unsent.add(to: &found, &missing, for: paths, session)
        if let folder { found.removeAll { !$0.path.isInside(folder) } }
        var listing = DeletedListing(names, in: console)
        if long {
            found = (try? await session.replica.withoutRenamed(found)) ?? found
            try await listing.readLog(of: found, session)
        }
        try listing.show(found, isLong: long, isNull: list.null.null)
        if !long { listing.sayUnsent(found) }
        let known = missing.isEmpty ? [] : try await session.replica.deleted([]) + unsent.all
        for argument in missing {
            let none = await session.noneDeleted(argument)
            try console.report(
                session.naming(pattern: argument, in: none, among: known.map(\.path)))
        }
        if found.isEmpty, missing.isEmpty { try await sayNoneDeleted(folder, session, console) }
        return found.isEmpty || !missing.isEmpty ? .negative : .done
    }

    private func sayNoneDeleted(
        _ folder: RelativePath?, _ session: Session, _ console: Console
    ) async throws {
        let copies = all ? [] : try await session.replica.deleted([]).filter(\.isResolvedCopy)
        // A script is told, too: resolve names this command for them.
        if copies.contains(where: { copy in folder.map { copy.path.isInside($0) } ?? true }) {
            let place = folder.map { " below \($0)" } ?? ""
            return console.say(
                "Only conflict copies that were resolved\(place): "
                    + "list them with filesinki ls --deleted --all.")
        }
        if let folder {
            let up = Array(repeating: "..", count: folder.ancestors.count + 1)
            return console.say(
                "Nothing was deleted below \(folder). "
                    + "For all of the replica: filesinki ls --deleted \(up.joined(separator: "/"))")
        }
        console.sayNothing("No path was deleted.")
    }

    private func show(_ listing: Listing, _ names: ArgumentPaths, in console: Console) throws {
        if let width = console.outputColumns, long, !report.json, !list.null.null {
            for line in Self.table(listing, names).lines(within: width, isWhole: true) {
                try console.output.line(line)
            }
        } else {
            for (path, entry) in listing.entries {
                try show(path, entry, listing.place(of: path), names, in: console)
            }
        }
    }

    private func show(
        _ path: RelativePath, _ known: VersionedEntry, _ place: Listing.Place,
        _ names: ArgumentPaths, in console: Console
    ) throws {
        let entry = known.entry
        if report.json {
            var object: JSONObject = ["type": "entry"]
            object.add("path", path)
            object.add("version", known.version)
            entry.describe(in: &object)
            if place == .store { object.add("held", false) }
            if place == .ignored { object.add("ignored", true) }
            try console.output.json(object)
        } else if list.null.null {
            try console.output.write(names.bytes(path) + [0])
        } else {
            let note = long && place == .ignored ? Self.ignoredNote : ""
            try console.output.line(prefix(known) + entry.text(at: names.text(path)) + note)
        }
    }

    private static let ignoredNote = "  (ignored here)"

    /// What `-l` shows at a terminal: columns that are no wider than they have to be, and a path that has no room on a line of
    /// its own.
    private static func table(_ listing: Listing, _ names: ArgumentPaths) -> TextTable {
        var table = TextTable(rightAligned: [1, 3])
        for (path, known) in listing.entries {
            let entry = known.entry
            table.add(
                entry.symbolicMode, String(entry.size), TimeText.local(entry.modified),
                "@\(known.version)",
                entry.text(at: names.text(path))
                    + (listing.ignored.contains(path) ? ignoredNote : ""))
        }
        return table
    }

    private func prefix(_ known: VersionedEntry) -> String {
        guard long else { return "" }
        let entry = known.entry
        let size = String(entry.size)
        let space = String(repeating: " ", count: max(0, 12 - size.count))
        return "\(entry.symbolicMode) \(space)\(size) \(TimeText.local(entry.modified)) "
            + "@\(known.version) "
    }
}

/// What is listed, in path order, and where it is.
private struct Listing {
    var entries: [(RelativePath, VersionedEntry)]
    /// What the replica does not hold.
    var unheld: Set<RelativePath> = []
    /// What the store has, and a rule ignores here.
    var ignored: Set<RelativePath> = []

    enum Place { case here, store, ignored }

    func place(of path: RelativePath) -> Place {
        unheld.contains(path) ? .store : ignored.contains(path) ? .ignored : .here
    }
}

extension Session {
    /// The paths as of the last sync, with what only the store has.
    fileprivate func listing(of paths: [RelativePath]) async throws -> Listing {
        var found = try await replica.list(paths)
        let unheld = try await replica.listUnheld(paths)
        let ignored = try await replica.listIgnored(paths)
        let ignoredPaths = Set(ignored.map(\.0))
        if !unheld.isEmpty || !ignored.isEmpty {
            found.removeAll { ignoredPaths.contains($0.0) }
            found = (found + unheld + ignored).sorted { $0.0 < $1.0 }
        }
        return Listing(entries: found, unheld: Set(unheld.map(\.0)), ignored: ignoredPaths)
    }
}

extension Entry {
    /// The path, with a slash for a folder, and the target of a symlink.
    fileprivate func text(at path: String) -> String {
        let mark = kind == .directory ? "/" : ""
        return path + mark + (kind == .symlink ? " -> \(printable(target))" : "")
    }

    /// Adds what the entry says to an object: kind, mode, size, time, content, target.
    func describe(in object: inout JSONObject) {
        object.add("kind", kindWord)
        if kind == .tombstone { return }
        if kind != .symlink { object.add("mode", octalMode) }
        object.add("modified", modified)
        if kind == .file {
            object.add("size", size)
            object.add("content", content.description)
        }
        if kind == .symlink { object.add("target", bytes: target) }
    }

    /// `file`, `directory`, `symlink` or `tombstone`.
    var kindWord: String {
        switch kind {
        case .file: "file"
        case .directory: "directory"
        case .symlink: "symlink"
        case .tombstone: "tombstone"
        }
    }

    /// The permission bits as `0644`.
    var octalMode: String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Kind and permissions as `ls -l` shows them.
    var symbolicMode: String {
        let bits = Array("rwxrwxrwx")
        let letters = bits.enumerated().map { mode >> (8 - $0.offset) & 1 == 1 ? $0.element : "-" }
        switch kind {
        case .directory: return "d" + String(letters)
        case .symlink: return "lrwxrwxrwx"
        case .file, .tombstone: return "-" + String(letters)
        }
    }
}
