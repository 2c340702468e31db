import FilesinkiModel
import FilesinkiRemote

@testable import FilesinkiStore

extension CommitLog {
    /// Puts a draft into the log as it is: without the proof that readers accept it.
    func forge(_ draft: CommitDraft, after parent: ChangeToken, id: [UInt8]) async throws {
        let stored = try coder.encode(draft, after: parent, id: id)
        _ = try await remote.publish(stored, to: try slot(parent.sequence + 1))
    }
}
