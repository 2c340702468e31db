import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import FilesinkiText

/// Keeps a replica from leaving its store for another one before it has received what is there.
///
/// The other store knows no deletion of the first one. What was deleted there and is still here would be sent as new,
/// and a secret with it.
extension SyncEngine {
    /// - Parameters:
    ///   - address: That of the store which the replica is to use.
    ///   - isSame: Whether it is the same store at another address, as a copy.
    /// - Returns: Notices if the store that is left cannot be read, and of what was deleted here and is not sent to it; none if both
    ///   sides have all of each other.
    /// - Throws: Code `differs` if it has commits that this replica has not received, or received and not carried out, or lacks
    ///   deletions of this replica.
    func requireReceived(leavingFor address: String, isSame: Bool) async throws -> [Failure] {
        guard let left = config.remote, let position = try memory.position,
            position.token.sequence > 0
        else { return [] }
        let unsent = try await LocalDeletions(replica).find().map(\.path)
        let comingBack = try unsentNotices(unsent)
        // What was there before cannot be read.
        if left == address { return comingBack }
        do {
            let hasMore = try await hasCommits(after: position)
            // A sync with a store that was moved sends nothing; what its copy lacks is merged without a base.
            if hasMore, isSame, try await moveNote() != nil { return comingBack }
            guard !hasMore else { throw Failure.notReceived(of: left) }
        } catch let failure as Failure
            where failure.code != .interrupted && failure.code != .differs
        {
            let remedy =
                " What was deleted here and sent only there comes back if the new store has it. "
                + "What the new store has already, delete after that sync with filesinki rm."
            return [.unread(left, failure, sentBy: "the next sync", remedy)] + comingBack
        }
        let waiting = try waitingDeletions()
        guard waiting.isEmpty else { throw Failure.waiting(waiting, of: left) }
        if unsent.isEmpty { return [] }
        // A store that was moved takes nothing.
        guard try await moveNote() != nil else { throw Failure.unsent(unsent) }
        return comingBack
    }

    /// What becomes of deletions that the store which is left was not told.
    func unsentNotices(_ deleted: [RelativePath]) throws -> [Failure] {
        let ends = try conflicts.unsentEnds()
        let copies = Set(ends.map(\.copy))
        let others = deleted.filter { !copies.contains($0) }
        return (others.isEmpty ? [] : [.comingBack(others)])
            + (ends.isEmpty ? [] : [.ending(ends)])
    }

    /// As ``requireReceived(leavingFor:isSame:)``, for a replica whose state is to be removed: a later one in its root knows
    /// no deletion either.
    ///
    /// - Returns: A notice if the store cannot be read; nil if all of it was received.
    /// - Throws: Code `differs` if it has commits that this replica has not received, or received and not carried out.
    func requireReceivedBeforeRemoval() async throws -> Failure? {
        guard let left = config.remote, let position = try memory.position,
            position.token.sequence > 0
        else { return nil }
        do {
            let count = try await commitCount(after: position)
            guard count == 0 else { throw Failure.notReceived(count, of: left) }
        } catch let failure as Failure
            where failure.code != .interrupted && failure.code != .differs
        {
            return .unread(left, failure, sentBy: "a replica that is made here later")
        }
        let waiting = try waitingDeletions()
        guard waiting.isEmpty else { throw Failure.waiting(waiting, of: left) }
        return nil
    }

    /// The number of commits that were not received; nil if those after the position were pruned.
    private func commitCount(after position: LogPosition) async throws -> Int? {
        do {
            var reader = try await zone.reader(behind: position)
            var count = 0
            while try await reader.next() != nil { count += 1 }
            return count
        } catch let failure as Failure where failure.code == .tokenExpired {
            return nil
        }
    }

    /// Costs one request.
    private func hasCommits(after position: LogPosition) async throws -> Bool {
        do {
            var reader = try await zone.reader(behind: position)
            return try await reader.next() != nil
        } catch let failure as Failure where failure.code == .tokenExpired {
            // The commits after the position were pruned.
            return true
        }
    }

    /// The paths whose deletion was received, and that are still here and would be sent.
    private func waitingDeletions() throws -> [RelativePath] {
        let rules = try rulesReader.runRules(SyncOptions())
        var ignored = IgnoredPaths(root: root, filter: rules.filter)
        return try manifest.loadRemote().filter { row in
            guard row.entry.entry.kind == .tombstone, let base = try manifest.base(row.path),
                base.entry.kind != .directory
            else { return false }
            return !ignored.contains(row.path, isDirectory: false)
        }.map(\.path)
    }
}

extension Failure {
    /// What would happen to the files that the left store has deleted.
    private static let sentAgain = "what was deleted there would be sent again from here"

    fileprivate static func notReceived(of left: String) -> Failure {
        Failure(
            .differs, path: left,
            "The store that this replica leaves has commits that were not received here: \(sentAgain).",
            remedy:
                "Run filesinki sync, and then this command again. To go on without them, rename or remove that store."
        )
    }

    /// - Parameter count: nil if the commits were pruned, and are not counted.
    fileprivate static func notReceived(_ count: Int?, of left: String) -> Failure {
        let commits = count.map { CountText.text($0, "commit") } ?? "Commits"
        let verb = count == 1 ? "was" : "were"
        return Failure(
            .differs, path: left,
            "\(commits) of the store \(verb) not received here: \(sentAgain).",
            remedy: "Run filesinki sync, or give --force: all files stay.")
    }

    fileprivate static func waiting(_ paths: [RelativePath], of left: String) -> Failure {
        Failure(
            .differs, path: paths.first?.bytes ?? [],
            "\(CountText.text(paths.count, "deletion")) of the store that this replica leaves "
                + "\(paths.count == 1 ? "waits" : "wait") here: \(sentAgain).",
            remedy:
                "Run filesinki sync, and resolve the conflicts that stay open, and then this command again."
        )
    }

    /// Deletions of this replica that the left store would still take.
    fileprivate static func unsent(_ paths: [RelativePath]) -> Failure {
        let isOne = paths.count == 1
        return Failure(
            .differs, path: paths.first?.bytes ?? [],
            "\(CountText.text(paths.count, "deletion")) here \(isOne ? "was" : "were") not sent to the store that this "
                + "replica leaves: what was deleted comes back if the new store has it.",
            remedy:
                "Run filesinki sync, and then this command again. To go on without that, rename or remove that store."
        )
    }

    /// Deletions of this replica of which the new store learns nothing.
    static func comingBack(_ paths: [RelativePath]) -> Failure {
        let (isOne, limit) = (paths.count == 1, 5)
        let names = paths.prefix(limit).map { ShellWord.path($0.bytes) }.joined(separator: " ")
        let rest = paths.count > limit ? " … (\(paths.count - limit) more)" : ""
        return Failure(
            .differs, path: paths.first?.bytes ?? [],
            "\(CountText.text(paths.count, "path")) that \(isOne ? "was" : "were") deleted here and not sent "
                + "\(isOne ? "comes back if the new store has it" : "come back if the new store has them").",
            remedy:
                "If so, delete \(isOne ? "it" : "them") again after the next sync: filesinki rm \(names)\(rest)"
        )
    }

    fileprivate static func unread(
        _ left: String, _ cause: Failure, sentBy sender: String, _ remedy: String = ""
    ) -> Failure {
        Failure(
            cause.code, path: left,
            "The store that this replica leaves cannot be read: \(cause.message)",
            remedy:
                "What was deleted there and not received here is sent again from here by \(sender). To prevent "
                + "that, delete it here before." + remedy,
            cause: cause)
    }
}
