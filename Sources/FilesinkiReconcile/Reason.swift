package import FilesinkiModel

/// Why a step is taken.
package enum Reason: Hashable, Sendable {
    /// Other content than the base's, on one side only.
    case edit
    /// Nothing was there before.
    case created
    /// Deleted on one side, and not edited on the other.
    case deleted
    /// Both sides have the same, or both deleted it.
    case equal
    /// Mode or time changed; what each side changed is applied.
    case metadata
    /// Both sides changed the time of the same content; the later one stays.
    case laterTime
    /// Both sides changed the mode; the committed one stays.
    case committedMode
    /// A link of the strategy decided, such as `newest`.
    case strategy(String)
    /// A merge made one content of two.
    case merged(String)
    /// One side deleted what the other edited: the edit stays.
    case editBeatsDelete
    /// One side deleted what the other edited, and `on-delete` lets the deletion stay.
    case deleteBeatsEdit
    /// A directory and something else have the same name: the directory keeps it.
    case folderKeepsName
    /// A directory that was deleted stays, or comes back, for the sake of a path inside it.
    case holdsSurvivor
    /// The file was called otherwise in the base.
    case renamed(from: RelativePath)
    /// The file that was here has another name now.
    case moved(to: RelativePath)
    /// Both sides renamed the same file to different names, and both names stay.
    case bothNames(of: RelativePath)
    /// After a lost manifest: the file is one that was deleted there.
    case staleCopy
    /// The content that gave way to the one that kept the name.
    case conflictCopy(of: RelativePath)
    /// A link of the strategy waits for its answer.
    case asks(String)
    /// The strategy leaves the conflict open.
    case open
    /// The path cannot be read here, or is ignored here.
    case blocked
    /// The directory holds something that cannot be read here, or is ignored here.
    case holdsBlocked
}

extension Reason {
    /// The rule in a word, for a commit's reason, for logs and for JSON.
    package var word: String {
        switch self {
        case .edit: "edit"
        case .created: "created"
        case .deleted: "deleted"
        case .equal: "equal"
        case .metadata: "metadata"
        case .laterTime: "later-time"
        case .committedMode: "committed-mode"
        case .strategy(let link): link
        case .merged(let link): link
        case .editBeatsDelete: "edit-beats-delete"
        case .deleteBeatsEdit: "delete-beats-edit"
        case .folderKeepsName: "folder-keeps-name"
        case .holdsSurvivor: "holds-survivor"
        case .renamed: "renamed"
        case .moved: "moved"
        case .bothNames: "both-names"
        case .staleCopy: "stale-copy"
        case .conflictCopy: "conflict-copy"
        case .asks: "asks"
        case .open: "open"
        case .blocked: "blocked"
        case .holdsBlocked: "holds-blocked"
        }
    }

    /// The rule in a sentence for a person.
    package var sentence: String {
        switch self {
        case .edit: "Edited on one side."
        case .created: "New on one side."
        case .deleted: "Deleted on one side."
        case .equal: "Both sides are equal."
        case .metadata: "Mode or time changed."
        case .laterTime: "Both sides changed only the time; the later one stays."
        case .committedMode: "Both sides changed the mode; the committed one stays."
        case .strategy(let link): "Both sides changed it; the strategy's '\(link)' decided."
        case .merged(let link): "Both sides changed it; '\(link)' merged them."
        case .editBeatsDelete: "One side deleted it, the other edited it; the edit stays."
        case .deleteBeatsEdit:
            "One side deleted it, the other edited it; on-delete lets the deletion stay."
        case .folderKeepsName: "A directory has the same name, and keeps it."
        case .holdsSurvivor: "The directory stays for what survives inside it."
        case .renamed(let path): "Renamed from \(path)."
        case .moved(let path): "Renamed to \(path)."
        case .bothNames(let path): "Both sides renamed \(path); both names stay."
        case .staleCopy: "A stale copy of what was deleted there."
        case .conflictCopy(let path): "The other content of a conflict at \(path)."
        case .asks(let link): "Both sides changed it; '\(link)' has to be asked."
        case .open: "Both sides changed it; the strategy leaves the conflict open."
        case .blocked: "It cannot be seen here, so nothing is decided."
        case .holdsBlocked: "The directory holds what cannot be seen here, so it stays."
        }
    }
}
