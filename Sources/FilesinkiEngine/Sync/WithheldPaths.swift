import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiSystem
import FilesinkiText

/// The paths that a rule ignored until another device ended the rule, by an edit or deletion of its file, or with the folder
/// of that; or until a folder above the path was renamed here, where the rule named the place.
///
/// What is there was private, and the user of this device has not published it: runs leave it alone, as if the rule still held,
/// until the user names it to `sync`, ignores it again, or removes it. A folder stands for all that is in it, also later.
///
/// In the state folder and not in the manifest, which may be lost and is made anew without a word. The size grows with the
/// number of these paths: see ``IgnoredListing``.
struct WithheldNote: Equatable, Sendable {
    /// By what something is found again under another name: by its inode; or, as an editor may have replaced it, by the
    /// inode of its folder, together with its name.
    struct Item: Equatable, Sendable {
        /// 0 if it is not known.
        var inode: UInt64 = 0
        /// 0 if it is not known.
        var folder: UInt64 = 0
        /// Both inodes were made by then: what was made later has got the number of a deleted one.
        var seen = Timestamp(nanoseconds: .max)
        /// Whether the user has given it a name that a rule ignores: it is not withheld there, and is known when it gets
        /// another one.
        var isIgnored = false
    }

    /// What was last seen at each path.
    var items: [RelativePath: Item] = [:]

    var paths: Set<RelativePath> { Set(items.keys) }

    /// The paths without ``ignoredPaths``, and without those in another one of them, which stands for all that is in it.
    var withheldPaths: Set<RelativePath> { paths.subtracting(ignoredPaths).outermost }

    /// The paths that a rule ignores by a name that the user has given them.
    var ignoredPaths: Set<RelativePath> { Set(items.filter { $0.value.isIgnored }.keys) }

    init() {}

    /// Parses ``bytes``; nil for malformed ones.
    init?(_ bytes: [UInt8]) {
        for words in bytes.noteLines {
            guard let word = words.first, let path = RelativePath(noteWord: word),
                let item = Item(words.dropFirst())
            else { return nil }
            items[path] = item
        }
    }

    /// One line per path: the path in hexadecimal, the inode, that of the folder, and the time in nanoseconds; then
    /// `ignored` if ``Item/isIgnored``. A note of an earlier version has the first two words only, or the first four; that
    /// version refuses one that has more.
    var bytes: [UInt8] {
        let lines = items.sorted { $0.key < $1.key }.map { path, item in
            "\(hexadecimal(path.bytes)) \(item.inode) \(item.folder) \(item.seen.nanoseconds)"
                + (item.isIgnored ? " \(Item.ignoredWord)\n" : "\n")
        }
        return Array(lines.joined().utf8)
    }
}

extension WithheldNote.Item {
    fileprivate static let ignoredWord = "ignored"

    fileprivate init?(_ words: ArraySlice<String>) {
        self.init()
        let words = Array(words)
        guard [1, 3, 4].contains(words.count), let inode = UInt64(words[0]) else { return nil }
        self.inode = inode
        guard words.count > 1 else { return }
        if words.count == 4 {
            guard words[3] == Self.ignoredWord else { return nil }
            isIgnored = true
        }
        guard let folder = UInt64(words[1]), let time = Int64(words[2]) else { return nil }
        self.folder = folder
        seen = Timestamp(nanoseconds: time)
    }
}

extension StateFolder {
    /// The note of what is withheld; nil if there is none.
    ///
    /// - Throws: Code `corrupt` for an invalid one, because any guess could publish what was ignored.
    func noteOfWithheld() throws(Failure) -> WithheldNote? {
        guard let bytes = try StateFile.read(withheld) else { return nil }
        if let note = WithheldNote(bytes) { return note }
        throw Failure(
            .corrupt, path: withheld, "The note of what is withheld is damaged.",
            remedy: "List what is to stay private in .filesinki/ignore, and remove the file.")
    }

    /// The withheld paths, as the last run has noted them; a folder stands for all that is in it.
    package func withheldPaths() throws(Failure) -> Set<RelativePath> {
        try noteOfWithheld()?.withheldPaths ?? []
    }

    /// The same with what a rule ignores by a name that the user has given it: it is withheld when it gets another one.
    package func notedPaths() throws(Failure) -> Set<RelativePath> {
        try noteOfWithheld()?.paths ?? []
    }
}

extension ReplicaPart {
    func withheldNote() throws -> WithheldNote {
        if let note = try state.noteOfWithheld() { return note }
        // An earlier version kept the list in the manifest.
        var note = WithheldNote()
        for bytes in (try manifest.value("exposed-paths") ?? []).split(separator: 0) {
            note.items[RelativePath(unchecked: Array(bytes))] = WithheldNote.Item()
        }
        return note
    }

    /// - Parameter known: The note that is stored; the replica is locked, so that it is the one that was read.
    func recordWithheld(_ note: WithheldNote, over known: WithheldNote) throws {
        guard note != known else { return }
        try StateFile.replace(state.withheld, with: note.bytes)
    }
}

/// Leaves out paths, with all that is in them.
struct WithheldFilter: ScanFilter {
    private let paths: Set<RelativePath>
    private let filter: any ScanFilter
    /// The path of this folder with a trailing slash; empty for the root.
    private let folder: [UInt8]

    /// - Parameter filter: The filter of the root.
    init(_ paths: Set<RelativePath>, within filter: any ScanFilter) {
        self.init(paths, filter, folder: [])
    }

    private init(_ paths: Set<RelativePath>, _ filter: any ScanFilter, folder: [UInt8]) {
        self.paths = paths
        self.filter = filter
        self.folder = folder
    }

    func ignores(_ name: ArraySlice<UInt8>, isDirectory: Bool) -> Bool {
        filter.ignores(name, isDirectory: isDirectory)
            || paths.contains(RelativePath(unchecked: folder + name))
    }

    func entering(
        _ name: ArraySlice<UInt8>, read: (String) throws -> [UInt8]?
    ) rethrows -> any ScanFilter {
        WithheldFilter(
            paths, try filter.entering(name, read: read),
            folder: folder + name + [UInt8(ascii: "/")])
    }
}

extension IgnoredPaths {
    /// Whether something is at the path, and no rule ignores it.
    mutating func exposes(_ path: RelativePath) -> Bool {
        do {
            guard let status = try root.status(path) else { return false }
            return !rulesOut(path, isDirectory: status.kind == .directory)
        } catch {
            // What cannot be looked at is not gone.
            return true
        }
    }

    /// Whether the path is ignored as what is there now; as no folder where nothing is, or what cannot be looked at.
    mutating func contains(_ path: RelativePath) -> Bool {
        let kind = (try? root.status(path))?.kind
        return contains(path, isDirectory: kind == .directory)
    }
}

extension RunRules {
    /// Leaves paths alone from here on.
    mutating func withhold(_ paths: Set<RelativePath>) {
        guard !paths.isEmpty else { return }
        filter = WithheldFilter(paths, within: filter)
        withheld.formUnion(paths)
    }
}

extension Problem {
    /// So many paths are named, each in a notice.
    private static let namedPaths = 10

    /// Whether it says what earlier runs have withheld.
    var isOfWithheldBefore: Bool {
        !isUrgent
            && (failure.message == Failure.withheldMessage
                || failure.message.hasSuffix(Failure.moreWithheldMessage))
    }

    /// Whether it says what the run has begun to withhold.
    fileprivate var isOfWithheldNow: Bool {
        isUrgent && isNews
            && (failure.message.hasPrefix(Failure.withheldPrefix)
                || failure.message.hasSuffix(Failure.moreWithheldMessage))
    }

    /// The messages about withheld paths.
    ///
    /// - Parameters:
    ///   - isUrgent: Whether it cannot wait: the run has just found them.
    ///   - names: The former names of those whose folder was renamed, as the run has found.
    static func withheld(
        _ paths: Set<RelativePath>, isUrgent: Bool,
        formerly names: [RelativePath: RelativePath] = [:]
    ) -> [Problem] {
        // A folder stands for what is in it.
        let sorted = paths.outermost.sorted()
        var notices = sorted.prefix(namedPaths).map {
            Problem(
                $0, .withheld($0, formerly: names[$0]), isUrgent: isUrgent, isNews: isUrgent)
        }
        if sorted.count > namedPaths {
            let count = CountText.text(sorted.count - namedPaths)
            notices.append(
                Problem(
                    RelativePath(unchecked: []), .moreWithheld(count), isUrgent: isUrgent,
                    isNews: isUrgent))
        }
        return notices
    }
}

extension SyncReport {
    /// Adds what an earlier run of the command has begun to withhold, and its words about that; nil for none.
    mutating func addWithheld(of earlier: SyncReport?) {
        guard let earlier else { return }
        addWithheldPaths(of: earlier)
        notices = Self.joined(earlier.notices.filter(\.isOfWithheldNow), notices)
    }

    /// Says of paths, also of those in ``withheld``, that they are withheld now. A folder stands for all that is in it: what
    /// the run has said of that is taken back, as only the folder is published.
    mutating func sayWithheld(
        _ paths: Set<RelativePath>, formerly names: [RelativePath: RelativePath] = [:]
    ) {
        guard !paths.isEmpty else { return }
        withheld = withheld.outermost
        notices.removeAll { notice in
            (notice.isOfWithheldNow || notice.isOfWithheldBefore)
                && notice.path.isAtOrInside(paths)
        }
        notices += Problem.withheld(paths, isUrgent: true, formerly: names)
    }

    /// Why a path is refused that the run has begun to withhold, or that is in such a folder: with its former name, if a rule
    /// ignores that.
    ///
    /// - Parameter withheld: What is withheld; nil for what the run has begun to withhold.
    func refusal(
        ofWithheld path: RelativePath, in withheld: Set<RelativePath>? = nil
    ) -> Failure {
        let name = ([path] + path.ancestors).lazy.compactMap { folder in
            self.formerNames[folder].flatMap { path.moved(from: folder, to: $0) }
        }.first
        return .withheld(path, in: withheld ?? withheldHere, formerly: name)
    }
}

extension Failure {
    /// How each message about a path begins.
    fileprivate static let withheldPrefix = "Withheld, not sent: "
    fileprivate static let withheldMessage =
        withheldPrefix + "a rule ignored it until another device ended the rule, "
        + "or its folder was renamed."
    /// After their number.
    fileprivate static let moreWithheldMessage =
        " more are withheld."

    /// A path that was ignored until another device ended the rule, or its folder was renamed.
    ///
    /// - Parameters:
    ///   - withheld: What is withheld: in a folder of these, the path is published with that only.
    ///   - name: What it is called by the former name of its folder, if the run has just found that this was renamed.
    static func withheld(
        _ path: RelativePath, in withheld: Set<RelativePath> = [],
        formerly name: RelativePath? = nil
    ) -> Failure {
        // The outermost one, as only that can be published.
        let folder = path.ancestors.last(where: withheld.contains)
        let what = folder == nil ? "it" : "its folder"
        return Failure(
            .usage, path: path.bytes,
            name.map {
                withheldPrefix + "a rule ignores it by the former name of its folder, \($0)."
            } ?? withheldMessage,
            remedy: "To publish \(what), run filesinki sync "
                + "\(ShellWord.path((folder ?? path).bytes)); "
                + "to keep it private, list it in .filesinki/ignore.")
    }

    fileprivate static func moreWithheld(_ count: String) -> Failure {
        Failure(
            .usage, count + moreWithheldMessage,
            remedy: "See them with filesinki status --json.")
    }
}
