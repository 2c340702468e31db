import FilesinkiEngine
import FilesinkiModel
import FilesinkiRules

/// What the arguments of `undelete` mean.
struct UndeleteTargets {
    /// Paths to be looked up in the log, each once, folders before what is in them.
    private(set) var deleted: [RelativePath] = []
    /// What was deleted here and is in no commit yet: it comes back without one.
    private(set) var unsent: [UnsentDeletion] = []

    private let session: Session
    private var finder: DeletedPathFinder
    /// Read for the first argument that needs them.
    private var allUnsent: [UnsentDeletion]?

    /// - Throws: Code `not-found` for a pattern that matches no deleted path, and for the root itself where nothing was deleted
    ///   since the last sync.
    init(_ arguments: [String], _ session: Session) async throws {
        self.session = session
        finder = DeletedPathFinder(session)
        for argument in arguments {
            if try session.isRoot(argument) {
                try await addEverything(argument)
            } else if PathPattern.isPattern(argument) {
                try await addMatches(argument)
            } else {
                try await addNamed(try session.path(argument))
            }
        }
        putFoldersFirst()
    }

    /// A folder that is named after what is in it would be back before its turn, and then no deleted path.
    private mutating func putFoldersFirst() {
        let named = Set(deleted)
        var known: Set<RelativePath> = []
        deleted = deleted.flatMap { $0.ancestors.reversed().filter(named.contains) + [$0] }
            .filter { known.insert($0).inserted }
    }

    /// A deleted path; of one that is in no commit as deleted, and of a folder that is there, what is missing at it and in it.
    private mutating func addNamed(_ path: RelativePath) async throws {
        let tree = RootReader(root: session.root.path)
        let isFolder = tree.isFolder(path)
        if !isFolder {
            let isSynced = try await session.replica.isSynced(path)
            guard isSynced, !tree.exists(path) else { return add(path) }
        }
        let missing = try await everythingMissing().filter { $0.isAtOrInside(path) }
        let isRenamed = !missing.isEmpty && missing.allSatisfy { $0.isMovedAway || $0.isFolder }
        // What was named comes back also where it has only another name now.
        let wanted = isRenamed && !isFolder ? missing : missing.filter { !$0.isMovedAway }
        if wanted.isEmpty { add(path) } else { add(wanted) }
    }

    private mutating func add(_ path: RelativePath) {
        if !deleted.contains(path) { deleted.append(path) }
    }

    private mutating func add(_ deletions: [UnsentDeletion]) {
        let known = Set(unsent)
        unsent += deletions.filter { !known.contains($0) }
    }

    private mutating func addEverything(_ argument: String) async throws {
        let all = try await everythingUnsent()
        guard !all.isEmpty else { throw Failure.noneUnsent(argument) }
        add(all)
    }

    /// A name with the characters of a pattern, or all that the pattern matches but conflict copies that were resolved.
    private mutating func addMatches(_ argument: String) async throws {
        let listed = try await finder.find(argument)
        // Without the store, nothing comes back anyway.
        let known = (try? await session.replica.withoutRenamed(listed)) ?? listed
        let literal = try? session.path(argument)
        if let literal, known.contains(where: { $0.path == literal }) {
            return try await addNamed(literal)
        }
        let copies = known.filter(\.isResolvedCopy).map(\.path)
        var found = known.filter { !$0.isResolvedCopy }.map(\.path)
        // What was kept, or written there since, is in its place.
        let taken = found.filter(RootReader(root: session.root.path).exists)
        found.removeAll(where: Set(taken).contains)
        let (named, matched) = try await unsentMatches(argument, literal)
        guard named.isEmpty else { return add(named) }
        guard !(found.isEmpty && matched.isEmpty) else {
            if let coming = await session.unreceived(matching: argument) { throw coming }
            if let ignored = await session.ignored(taken, matching: argument) { throw ignored }
            if let copy = copies.first {
                throw Failure.resolved(copies.count, argument, session.console.hints.word(copy))
            }
            let none = await session.namingUnsent(session.noneDeleted(argument), argument)
            let others = try await everythingToRestore()
            throw session.naming(pattern: argument, in: none, among: others)
        }
        add(matched)
        for path in found { add(path) }
    }

    /// The deletions at and below the path of this name, and those that match the pattern.
    private mutating func unsentMatches(
        _ argument: String, _ literal: RelativePath?
    ) async throws -> (named: [UnsentDeletion], matched: [UnsentDeletion]) {
        let all = try await everythingUnsent()
        let named = all.filter { deletion in
            literal.map(deletion.isAtOrInside) ?? false
        }
        let pattern = try PathPattern(argument)
        return (named, all.filter { pattern.covers($0.path) })
    }

    /// What a pattern may bring back. What was written since in the place of a deleted path stays.
    private mutating func everythingToRestore() async throws -> [RelativePath] {
        let tree = RootReader(root: session.root.path)
        let deleted = try await finder.everything().filter { !$0.isResolvedCopy }.map(\.path)
        let unsent = try await everythingUnsent().map(\.path)
        return deleted.filter { !tree.exists($0) } + unsent
    }

    /// What was deleted here. The old name of what was renamed is not.
    private mutating func everythingUnsent() async throws -> [UnsentDeletion] {
        try await everythingMissing().filter { !$0.isMovedAway }
    }

    private mutating func everythingMissing() async throws -> [UnsentDeletion] {
        if let allUnsent { return allUnsent }
        let read = try await session.replica.unsentDeletions()
        allUnsent = read
        return read
    }
}

extension UnsentDeletion {
    fileprivate func isAtOrInside(_ place: RelativePath) -> Bool {
        path == place || path.isInside(place)
    }
}

extension Session {
    /// Whether an argument names the root itself.
    fileprivate func isRoot(_ argument: String) throws(Failure) -> Bool {
        try root.requireMeantHere(argument, in: console)
        return try root.path(argument, currentFolder: console.currentFolder) == nil
    }

    /// The failure of a pattern that matches deleted paths which a rule ignores here, such as those that
    /// `delete --keep` has deleted in the store; nil if none of them is ignored.
    ///
    /// - Parameter taken: The deleted paths that it matches, and at which something is.
    fileprivate func ignored(
        _ taken: [RelativePath], matching argument: String
    ) async -> Failure? {
        guard !taken.isEmpty, let rules = try? await replica.ignoreMatcher() else { return nil }
        let tree = RootReader(root: root.path)
        let ignored = taken.filter { rules.ignores($0, isDirectory: tree.isFolder($0)) }
        guard let one = ignored.first(where: { !tree.isFolder($0) }) ?? ignored.first else {
            return nil
        }
        return .ignored(argument, console.hints.word(one))
    }
}

extension Failure {
    /// - Parameter word: What names one of the paths in a command.
    fileprivate static func ignored(_ argument: String, _ word: String) -> Failure {
        Failure(
            .usage, path: ArgumentText.bytes(of: argument),
            "What it matches was deleted in the store, and is ignored here by a rule, so it is not "
                + "synced: nothing was done.",
            remedy:
                "filesinki log \(word) lists the versions of one, and filesinki show \(word)@VERSION "
                + "prints it; see the rule with filesinki check-ignore \(word).")
    }

    /// A pattern matches nothing but conflict copies that were resolved.
    ///
    /// - Parameter word: What names the first of them in a command.
    fileprivate static func resolved(
        _ count: Int, _ argument: String, _ word: String
    ) -> Failure {
        let what = count == 1 ? "one conflict copy that was" : "conflict copies that were"
        let some = count == 1 ? "it" : "one of them"
        return Failure(
            .notFound, path: ArgumentText.bytes(of: argument),
            "It matches only \(what) resolved, which no pattern brings back.",
            remedy: "To bring \(some) back, which opens its conflict again, run filesinki undelete "
                + "\(word)." + (count == 1 ? "" : " List them with filesinki ls --deleted --all."))
    }

    /// The root was named, and nothing is missing in it.
    fileprivate static func noneUnsent(_ argument: String) -> Failure {
        Failure(
            .notFound, path: ArgumentText.bytes(of: argument),
            "Nothing was deleted here since the last sync.",
            remedy: "What was deleted before is listed by filesinki ls --deleted; name it, or a "
                + "pattern such as '*'.")
    }
}
