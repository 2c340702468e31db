import FilesinkiModel
import FilesinkiStore

/// The damage of packs.
extension Failure {
    static func otherSize(_ pack: PackReference, _ size: Int64) -> Failure {
        Failure(
            .corrupt, path: pack.keyText,
            "The pack has \(size) bytes; the commit that names it says \(pack.size).",
            remedy: "Restore the object from a copy of the store.")
    }

    static func missingPack(_ pack: PackReference) -> Failure {
        Failure(
            .corrupt, path: pack.keyText, "The pack is gone.",
            remedy: "Run filesinki repair on a device that still has the files.")
    }

    static func missingPart(_ pack: PackReference, _ id: ContentID) -> Failure {
        Failure(
            .corrupt, path: pack.keyText, "A part of the content \(id) is missing.",
            remedy: "Run filesinki repair on a device that still has the file.")
    }
}
