internal import FilesinkiModel

extension CommitCoder {
    /// The stored bytes of a draft, and the commit that every reader will find in them.
    ///
    /// The bytes are decoded again and compared with the draft, so that nothing is ever published that
    /// readers refuse or read in another way.
    ///
    /// - Throws: `Failure` with code `limit` when the draft exceeds ``limits``, or when the bytes do not
    ///   decode to the draft.
    func encodeVerified(
        _ draft: CommitDraft, after parent: ChangeToken, id: [UInt8], key: String
    ) throws(Failure) -> (stored: [UInt8], commit: Commit) {
        let stored = try encode(draft, after: parent, id: id)
        let commit: Commit
        do {
            commit = try decode(stored, sequence: parent.sequence + 1, key: key)
        } catch {
            throw .notReadable(key, cause: error)
        }
        guard commit.id == id, commit.parent == parent.hash, commit.says(draft) else {
            throw .notReadable(key, cause: commit.refused.first?.failure)
        }
        return (stored, commit)
    }
}

extension Commit {
    /// Whether the commit holds exactly what a draft meant.
    fileprivate func says(_ draft: CommitDraft) -> Bool {
        refused.isEmpty && changes == draft.changes && superseded == draft.superseded
            && inline == draft.inline && packs == draft.packs
            && basedOnTokens == draft.basedOnTokens && time == draft.time
            && device == Device(id: draft.device.id, name: shortened(draft.device.name))
            && operation == shortened(draft.operation)
    }
}

extension Failure {
    /// What was to be published does not read back as what was meant.
    static func notReadable(_ key: String, cause: (any Error)?) -> Failure {
        let detail = (cause as? Failure).map { " \($0.message)" } ?? ""
        return Failure(
            .limit, path: key,
            "Cannot publish: the encoded record does not read back as what was meant.\(detail)",
            remedy: "Nothing was published. Please report this as an error of filesinki.",
            cause: cause)
    }
}
