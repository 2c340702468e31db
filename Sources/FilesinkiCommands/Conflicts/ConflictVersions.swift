import ArgumentParser
import FilesinkiEngine
import FilesinkiMerge
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// A version of an open conflict, as `show --conflict` and `resolve --take` name it.
enum ConflictSide: ExpressibleByArgument {
    case base
    /// Both sides, with markers where they differ.
    case merge
    /// The same, without markers where these would stand around all that is merged.
    case proposal
    /// `here`, `there`, another word for them, or the name of a device.
    case side(String)

    init(argument: String) {
        switch argument {
        case "base": self = .base
        case "merge": self = .merge
        case "proposal": self = .proposal
        default: self = .side(argument)
        }
    }

    /// The word, as the user wrote it.
    var word: String {
        switch self {
        case .base: "base"
        case .merge: "merge"
        case .proposal: "proposal"
        case .side(let word): word
        }
    }

    var isSide: Bool {
        if case .side = self { return true }
        return false
    }

    static var allValueStrings: [String] { [] }
    static var completionWords: [String] { ["base", "here", "there", "merge", "proposal"] }
}

extension OpenConflict {
    /// The version that a word names.
    ///
    /// - Throws: Code `usage` if none, or more than one, has this name.
    func side(named word: String) throws(Failure) -> Choice.Side {
        if let side = sides.side(named: word) { return side }
        if word == "both" {
            throw Failure(
                .usage, path: word, "--take takes one side.",
                remedy:
                    "To keep both as two files, choose b in filesinki resolve -i \(ShellWord.path(path.bytes))."
            )
        }
        guard sides.here == nil else {
            throw Failure(
                .usage, path: word, "Invalid side of a conflict.",
                remedy: suggestion(for: word)
                    + "Take \(sideWords), base, or the number of a version.")
        }
        let isSide = ["here", "there", "ours", "theirs", "mine"].contains(word)
        throw Failure(
            .usage, path: isSide ? path.bytes : Array(word.utf8),
            isSide
                ? "Other devices wrote both versions: neither is from here."
                : "Invalid side of a conflict.",
            remedy: (isSide ? "" : suggestion(for: word))
                + "Name one by its device: \(takeWords.replacing("|", with: " or ")).")
    }

    /// A question that names the word that was mistyped, with a space behind it; empty if none is similar.
    private func suggestion(for word: String) -> String {
        let words = sides.inOrder.flatMap {
            [sides.label($0)] + (sides.device($0).map { [$0] } ?? [])
        }
        return NearestWord.suggestion(for: word, among: words + ["base"])
    }

    /// All words for the two versions, such as `here, there, laptop, desk`.
    private var sideWords: String {
        let devices = sides.inOrder.compactMap(sides.device)
        let named = Set(devices).count == 2 ? devices.map { ShellWord.shown($0.utf8) } : []
        return (["here", "there"] + named).joined(separator: ", ")
    }

    /// Whether a version is the one in place, which was edited here after the conflict had been found.
    func isEditedInPlace(_ side: Choice.Side) -> Bool { sides.isEditedHere && side == .theirs }

    /// What a version is, the one in place and the conflict copy as the files are now; nil for a deletion.
    func shownEntry(of side: Choice.Side) -> Entry? {
        guard var entry = entry(of: side) else { return nil }
        if let unsent = side == .theirs ? sides.unsent : sides.unsentCopy {
            (entry.size, entry.modified) = (unsent.stamp.size, unsent.stamp.modified)
            entry.content = unsent.content ?? entry.content
        }
        return entry
    }

    /// Whether a version is a folder, which has no lines.
    func isFolder(_ side: Choice.Side) -> Bool { entry(of: side)?.kind == .directory }

    /// What a difference calls a version.
    ///
    /// - Parameter isOneOfSeveral: Whether the path has other open conflicts, from which the devices tell this one.
    func title(of side: Choice.Side, isOneOfSeveral: Bool = false) -> String {
        if isEditedInPlace(side) { return "in place" }
        return (isOneOfSeveral ? sides.fullLabel(side) : sides.label(side)) + editWords(of: side)
    }

    /// What is said of the version from here that was edited in place, and of a conflict copy that was edited; empty for any
    /// other one.
    func editWords(of side: Choice.Side) -> String {
        if side == .ours { return copyEditWords }
        if isEditedInPlace(side) { return "" }
        if sides.unsent != nil { return ", edited since, not yet synced" }
        guard let version = sides.editedVersion else { return "" }
        return ", edited since\(editorWords) (version \(version))"
    }

    /// Who has edited the file in place, where its label does not say so.
    private var editorWords: String {
        guard sides.here != .theirs, let device = sides.theirsDevice,
            device != sides.label(.theirs)
        else { return "" }
        return " by \(printable(device.utf8))"
    }

    func addEdits(to object: inout JSONObject) {
        if sides.isEditedHere { object.add("edited_here", true) }
        if sides.unsent != nil { object.add("unsent", true) }
        if let version = sides.editedVersion {
            var edit: JSONObject = [:]
            edit.add("device", sides.theirsDevice)
            edit.add("version", version)
            object.add("edited_in_place", .object(edit))
        }
        addCopyEdit(to: &object)
    }

    /// Refuses to replace what was edited in place, and what no run has sent yet: nothing has shown it beside the others.
    ///
    /// - Parameter program: Whether a program merges the versions.
    /// - Throws: Code `usage`.
    func requireSent(_ hints: CommandHints, by program: Bool = false) throws(Failure) {
        guard sides.unsent != nil else { return }
        let why = program ? "a program would begin without it." : "it would be replaced."
        throw Failure(
            .usage, path: path.bytes,
            "What is in place was edited here after the conflict was found, and is not synced yet: "
                + why,
            remedy: "Run filesinki sync first. To keep what is in place, run filesinki resolve "
                + "\(hints.word(path)) --take \(keptWord).")
    }

    /// The word for what is in place.
    var keptWord: String { sides.isEditedHere ? "committed" : sides.label(.theirs) }

    /// Refuses the words for the two sides where what is in place is neither: it would be lost to the eye.
    ///
    /// - Throws: Code `usage`.
    func requireSide(_ word: String, _ hints: CommandHints) throws(Failure) {
        guard sides.isEditedHere, let copy, isSideWord(word) else { return }
        let (name, copyName) = (hints.word(path), hints.word(copy))
        throw Failure(
            .usage, path: path.bytes,
            "What is in place was edited here after the conflict was found, "
                + "and is of neither side.",
            remedy: "To keep it, run filesinki resolve \(name) --take committed, or remove the "
                + "conflict copy with filesinki rm \(copyName). To take what was here before, use --take copy; "
                + "any other version by its number, which filesinki log \(name) lists.")
    }

    /// Whether a word is that of a device or a side, or none at all, and not that of a place or a version.
    private func isSideWord(_ word: String) -> Bool {
        if ["base", "copy", "committed"].contains(word) { return false }
        return sides.side(named: word) != nil || UInt64(word) == nil
    }

    /// The words with which `--take` names the two versions, such as `here|there`; the one that may be taken before a sync.
    var takeWords: String {
        if let onlyWord { return onlyWord }
        if sides.isEditedHere { return "committed|copy" }
        return sides.inOrder.map { ShellWord.shown(sides.label($0).utf8) }
            .joined(separator: "|")
    }
}

/// The contents of a conflict, and what a merge tool begins with: their merge, with markers where that cannot decide, if they are
/// text, else the version from here.
struct ConflictVersions {
    var base: [UInt8]
    /// The version from here; on a device that wrote neither, that of the device that found the conflict.
    var local: [UInt8]
    var remote: [UInt8]
    /// Nil if a side is not text.
    var marked: [UInt8]?

    var start: [UInt8] { marked ?? local }
}

extension Session {
    /// - Parameter isMarked: Whether ``ConflictVersions/marked`` is wanted, which costs a merge or two.
    /// - Throws: Code `usage` if a side is not a file.
    func versions(
        of open: OpenConflict, isMarked: Bool = true
    ) async throws -> ConflictVersions {
        let conflict = open.conflict
        guard conflict.ours?.kind == .file, conflict.theirs?.kind == .file else {
            throw Failure(
                .usage, path: open.path.bytes, "A merge tool needs a file on each side.",
                remedy: "Choose a side with --take \(open.takeWords).")
        }
        let base = conflict.base?.kind == .file ? try await base(of: open) ?? [] : []
        let (first, second) = (open.sides.inOrder[0], open.sides.inOrder[1])
        let local = try await content(of: first, in: open)
        let remote = try await content(of: second, in: open)
        var versions = ConflictVersions(base: base, local: local, remote: remote)
        if isMarked { versions.marked = try await marked(versions, of: open) }
        return versions
    }

    /// The content of one side as its file is now; empty for a deletion.
    func content(of side: Choice.Side, in open: OpenConflict) async throws -> [UInt8] {
        if side == .theirs, open.sides.unsent != nil {
            return try await contentNow(at: open.path)
        }
        if side == .ours, open.sides.unsentCopy != nil {
            return try await contentNow(at: open.place(of: side))
        }
        return try await knownContent(of: side, in: open)
    }

    /// The content of one side that a run has last seen; empty for a deletion.
    func knownContent(of side: Choice.Side, in open: OpenConflict) async throws -> [UInt8] {
        let (entry, place) = (open.entry(of: side), open.place(of: side))
        guard side == .ours else { return try await content(of: entry, at: place) }
        return try await contentOfOurs(entry, at: place)
    }

    /// What both sides started from; nil if there was nothing, or if it cannot be read any more, which is said.
    func base(of open: OpenConflict) async throws -> [UInt8]? {
        guard let entry = open.conflict.base else { return nil }
        do {
            return try await content(of: entry, at: open.path)
        } catch let failure as Failure where failure.code == .notFound {
            try console.show([Problem(open.path, .noBase(of: open, failure))], type: "notice")
            return nil
        } catch var failure as Failure where failure.code == .away {
            failure.remedy += " The version that both sides started from is not here."
            throw failure
        }
    }

    /// The content of one side of an open conflict.
    ///
    /// - Parameter name: The conflict's path, or its copy.
    /// - Throws: Code `not-found` when there is no conflict, or that side has no content; `usage` for a
    ///   merge of anything but text, and where several conflicts may be meant.
    func content(of side: ConflictSide, at name: RelativePath) async throws -> [UInt8] {
        let all = try await openConflictsWithBases()
        try await requireNotEnded(name, all)
        let open = try all.one(name, having: side.isSide ? side.word : nil)
        let path = open.path
        switch side {
        case .base:
            if !open.isBaseKnown { throw Failure.unknownBase(path) }
            try requireContent(open.conflict.base, path)
            do {
                return try await content(of: open.conflict.base, at: path)
            } catch let failure as Failure where failure.code == .notFound {
                throw Failure.noBase(of: open, failure)
            }
        case .side(let word):
            let side = try open.side(named: word)
            try requireContent(open.entry(of: side), path)
            return try await content(of: side, in: open)
        case .merge, .proposal:
            let versions = try await versions(of: open, isMarked: false)
            let isProposal = if case .proposal = side { true } else { false }
            guard let marked = try await marked(versions, of: open, isProposal: isProposal) else {
                throw Failure(
                    .usage, path: path.bytes,
                    "The contents are not text; conflict markers cannot be written.",
                    remedy: "Choose a side with filesinki resolve \(ShellWord.path(name.bytes)) "
                        + "--take \(open.takeWords).")
            }
            return marked
        }
    }

    private func requireContent(_ entry: Entry?, _ path: RelativePath) throws(Failure) {
        guard let entry, entry.kind == .file || entry.kind == .symlink else {
            throw Failure(
                .notFound, path: path.bytes, "That side of the conflict has no content.",
                remedy: "Choose another one; filesinki conflicts shows them.")
        }
    }
}

extension Failure {
    /// The version that both sides of a conflict started from is not in the store any more.
    ///
    /// - Parameter failure: Why; of a content that a prune removed it says which.
    fileprivate static func noBase(of open: OpenConflict, _ failure: Failure) -> Failure {
        Failure(
            .notFound, path: open.path.bytes,
            "The version that both sides started from cannot be read. \(failure.message)",
            remedy: failure.remedy.replacing("PATH", with: ShellWord.path(open.path.bytes)))
    }
}
