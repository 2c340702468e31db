import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// Conflict copies that were edited after they had been made.
extension OpenConflict {
    /// What is said of the version that the conflict copy has; empty if nobody has edited it.
    var copyEditWords: String { sides.isCopyEdited ? ", edited since" : "" }

    func addCopyEdit(to object: inout JSONObject) {
        if sides.isCopyEdited { object.add("copy_edited", true) }
    }
}
