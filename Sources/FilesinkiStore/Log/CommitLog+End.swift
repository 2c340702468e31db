internal import FilesinkiModel
internal import FilesinkiRemote

extension CommitLog {
    /// Whether the log has a commit, asked for anew.
    ///
    /// - Throws: What the remote throws.
    func contains(_ sequence: UInt64) async throws -> Bool {
        let request = try ObjectRequest(slot(sequence), range: 0..<1)
        return try await remote.replies(to: [request]) != [.absent]
    }

    /// Whether the commit is gone although an earlier one is there and none follows it. A log is
    /// pruned from its beginning on: so it was restored from a backup, or lost what lay behind.
    /// Where the log goes on, a person has approved of that.
    ///
    /// - Throws: What the remote throws.
    package func isMissing(_ sequence: UInt64) async throws -> Bool {
        if sequence == 0 { return false }
        let slots = try [sequence, sequence &+ 1].map { (number) throws(Failure) in
            ObjectRequest(try slot(number), range: 0..<1)
        }
        let replies = try await remote.replies(to: slots)
        guard replies.allSatisfy({ $0 == .absent }) else { return false }
        let first = try await remote.list(prefix: prefix, after: nil, limit: 1).first
        let found = first.flatMap { StoreLayout.sequence(of: $0.key, below: prefix) }
        return found.map { $0 < sequence } ?? false
    }
}
