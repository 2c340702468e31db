package import FilesinkiModel

/// Why a step is carried out.
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
    /// A merge made one content of both versions.
    case merged(String)
    /// One side deleted what the other edited: the edit stays.
    case editBeatsDelete
    /// One side deleted what the other edited, and `on-delete` lets the deletion stay.
    case deleteBeatsEdit
    /// A directory and something else have the same name: the directory keeps it.
    case folderKeepsName
    /// A deleted directory stays, or comes back, because a path inside it survives.
    case holdsSurvivor
    /// The file had another name in the base.
    case renamed(from: RelativePath)
    /// The file had another name in the base, and other content: ``Step/explanation`` says which side did what.
    case renamedAndEdited(from: RelativePath)
    /// The file has another name now.
    case moved(to: RelativePath)
    /// Both sides renamed the same file to different names, and both names stay.
    case bothNames(of: RelativePath)
    /// The same, as the commit of the device says that found it; this side has the file under its own name.
    case otherName
    /// The manifest was lost, and the file is an old copy of one that was deleted there.
    case staleCopy
    /// The version that lost its name to the other one.
    case conflictCopy(of: RelativePath)
    /// A link of the strategy has not answered yet.
    case asks(String)
    /// The strategy leaves the conflict open.
    case open
    /// The path cannot be read here.
    case blocked
    /// A rule ignores the path here.
    case ignored
    /// A rule ignored the path here, and this run has received the end of the rule: the next run receives the path.
    case ignoredUntilNow
    /// An option of this run leaves the path out.
    case excluded
    /// The directory holds something that cannot be read here.
    case holdsBlocked
    /// The directory holds something that is ignored here, or left out of this run.
    case holdsIgnored
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
        case .renamedAndEdited: Self.renamedAndEditedWord
        case .moved: Self.movedWord
        case .bothNames, .otherName: "both-names"
        case .staleCopy: "stale-copy"
        case .conflictCopy: "conflict-copy"
        case .asks: "asks"
        case .open: "open"
        case .blocked: "blocked"
        case .ignored, .ignoredUntilNow: "ignored"
        case .excluded: "excluded"
        case .holdsBlocked: "holds-blocked"
        case .holdsIgnored: "holds-ignored"
        }
    }

    /// The word of ``moved(to:)``.
    package static let movedWord = "moved"

    /// The word of ``renamedAndEdited(from:)``.
    package static let renamedAndEditedWord = "renamed-and-edited"

    /// The path in the explanation of ``moved(to:)``; nil for another text, and for a path of which the text shows bytes by
    /// their numbers.
    package static func target(ofMoved explanation: String) -> RelativePath? {
        guard explanation.hasPrefix(movedStart), !explanation.contains("\\") else { return nil }
        return try? RelativePath(Array(explanation.dropFirst(movedStart.count).utf8))
    }

    private static let movedStart = "renamed to "

    /// Whether a merge made one content of both versions.
    package var isMerge: Bool {
        if case .merged = self { return true }
        return false
    }

    /// The rule in a few words for a person, without a capital or a full stop.
    package var explanation: String {
        switch self {
        case .edit: "edited"
        case .created: "new"
        case .deleted: "deleted"
        case .equal: "the same on both sides"
        case .metadata: "mode or time changed"
        case .laterTime: "both sides changed only the time; the later one was kept"
        case .committedMode: "both sides changed the mode; the committed one was kept"
        case .strategy(let link): "both sides changed it; the strategy '\(link)' decided"
        case .merged(let link): "both edits kept, merged by \(link)"
        case .editBeatsDelete: "one side edited it, the other deleted it; the edit was kept"
        case .deleteBeatsEdit:
            "one side edited it, the other deleted it; deleted, as on-delete says"
        case .folderKeepsName: "a folder has the same name and keeps it"
        case .holdsSurvivor: "the folder is not empty"
        case .renamed(let path): "renamed from \(path)"
        case .renamedAndEdited(let path): "edited, and renamed from \(path)"
        case .moved(let path): "\(Self.movedStart)\(path)"
        case .bothNames(let path): "both sides renamed \(path); both names were kept"
        case .otherName: "both sides renamed the same file; both names were kept"
        case .staleCopy: "an old copy of a file that was deleted there"
        case .conflictCopy(let path): "the other version of \(path)"
        case .asks(let link): "both sides changed it; the strategy '\(link)' needs an answer"
        case .open: "both sides changed it; the strategy leaves the conflict open"
        case .blocked: "cannot be read here: nothing was decided"
        case .ignored: "ignored here: not received"
        case .ignoredUntilNow: "not ignored any more: comes with the next run"
        case .excluded: "left out of this run"
        case .holdsBlocked:
            "the folder holds files that cannot be read, are not held here, or were moved out"
        case .holdsIgnored: "the folder holds files that are ignored here"
        }
    }
}
