import FilesinkiEngine
import FilesinkiModel

/// `resolve --if-content` and `--if-copy`: only while the files are those that were looked at.
extension ResolveCommand {
    /// Whether it is said what was looked at.
    var isLookedAt: Bool { ifContent != nil || ifCopy != nil }

    /// A content that a file has to have; nil for any.
    ///
    /// - Throws: Code `usage` if it is no content ID.
    private func contentID(_ word: String?) throws(Failure) -> ContentID? {
        guard let word else { return nil }
        guard let content = ContentID(hexadecimal: word) else {
            throw Failure(
                .usage, path: word, "Invalid content ID.",
                remedy: "Give the 64 digits that filesinki conflicts --json prints as content.")
        }
        return content
    }

    /// Verifies that no file in place, and no conflict copy, has another content than the user has seen.
    ///
    /// - Throws: Code `changing` if one has.
    func requireContent(of targets: [ResolveTarget], _ session: Session) async throws {
        let (inPlace, inCopy) = (try contentID(ifContent), try contentID(ifCopy))
        for target in targets where !target.conflicts.isEmpty {
            try await require(inPlace, at: target.path, of: target, "What is in place", session)
            for copy in target.conflicts.compactMap(\.copy) {
                try await require(inCopy, at: copy, of: target, "The conflict copy", session)
            }
        }
    }

    private func require(
        _ expected: ContentID?, at place: RelativePath, of target: ResolveTarget, _ what: String,
        _ session: Session
    ) async throws {
        guard let expected else { return }
        var content = try await session.replica.contentInPlace(of: place)
        // Nothing is replaced of what was deleted here and is not synced yet.
        if content == nil { content = try await session.replica.unsentDeletion(of: place) }
        guard content == expected else {
            throw Failure(
                .changing, path: target.path.bytes,
                "\(what) was edited meanwhile, and is not the content that was given.",
                remedy: "See it with filesinki conflicts, and choose again.")
        }
    }
}
