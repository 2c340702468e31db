import FilesinkiEngine
import FilesinkiModel

/// `resolve --if-content`: only while the file in place is the one that was looked at.
extension ResolveCommand {
    /// The content that the file in place has to have; nil for any.
    ///
    /// - Throws: Code `usage` if it is no content ID.
    private func expectedContent() throws(Failure) -> ContentID? {
        guard let ifContent else { return nil }
        guard let content = ContentID(hexadecimal: ifContent) else {
            throw Failure(
                .usage, path: ifContent, "Invalid content ID.",
                remedy: "Give the 64 digits that filesinki conflicts --json prints as content.")
        }
        return content
    }

    /// Verifies that no file in place has another content than the user has seen.
    ///
    /// - Throws: Code `changing` if one has.
    func requireContent(of targets: [ResolveTarget], _ session: Session) async throws {
        guard let expected = try expectedContent() else { return }
        for target in targets where !target.conflicts.isEmpty {
            let content = try await session.replica.contentInPlace(of: target.path)
            guard content == expected else {
                throw Failure(
                    .changing, path: target.path.bytes,
                    "What is in place was edited meanwhile, and is not the content that was given.",
                    remedy: "See it with filesinki conflicts, and choose again.")
            }
        }
    }
}
