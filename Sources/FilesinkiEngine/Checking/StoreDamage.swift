import FilesinkiModel
import FilesinkiStore

extension StoreCheck {
    /// A copy of a content or a chunk whose bytes are not what its id says.
    struct DamagedCopy {
        let content: ContentID
        let pack: PackReference
        let failure: Failure
    }

    /// The contents that cannot be read.
    struct Unreadable {
        /// What is wrong, in the order of the report.
        var failures: [Failure] = []
        /// Contents and chunks.
        var contents: Set<ContentID> = []
    }
}

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
            remedy: "Run filesinki repair on a device that still has the files."
        )
        .forOtherDevice
    }

    static func missingPart(_ pack: PackReference, _ id: ContentID) -> Failure {
        Failure(
            .corrupt, path: pack.keyText, "A part of the content \(id) is missing.",
            remedy: "Run filesinki repair on a device that still has the file."
        )
        .forOtherDevice
    }
}
