import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// A change that a run of `watch` carried out, here or there, as an event of `Docs/Events.md`.
struct WatchEvent {
    let path: RelativePath
    let json: JSONObject

    /// Nil when the step changed nothing.
    ///
    /// - Parameter published: The number of the commit that told it, if it was told.
    init?(_ step: Step, published: UInt64) {
        guard let entry = step.action.entry else { return nil }
        let isDeletion = entry.kind == .tombstone
        var object: JSONObject = ["type": .string(isDeletion ? "deleted" : "changed")]
        object.add("path", step.path)
        object.add("version", step.action.writesTheirs ? published : step.theirs?.version)
        object.add("own", step.action.writesTheirs)
        object.add("applied", true)
        object.add("moved_from", step.origin ?? step.movedFrom)
        object.add("reason", step.reason.word)
        if !isDeletion { entry.describe(in: &object) }
        path = step.path
        json = object
    }
}
