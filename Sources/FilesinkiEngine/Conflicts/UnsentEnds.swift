import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
package import FilesinkiReconcile
import FilesinkiText

/// A conflict that has ended here, as its copy is gone, while no store was told: a resolve, or a merge by hand, that waits.
///
/// Where the store is left for another one, the base is forgotten. Both versions would come back then, and the choice would be a new
/// conflict. So what both files were is noted, and if the next store has both unchanged, that is their base: the choice is sent, as the
/// former store would have got it.
struct UnsentEnd: Hashable, Sendable {
    /// What was agreed on at a path: its kind and identity.
    struct Version: Hashable, Sendable {
        var kind: Entry.Kind
        var identity: ContentID

        /// Nil for anything but a file or a symlink.
        init?(_ entry: Entry) {
            guard entry.kind == .file || entry.kind == .symlink, let identity = entry.identity
            else { return nil }
            (kind, self.identity) = (entry.kind, identity)
        }

        fileprivate init?(_ kind: String, _ identity: String) {
            guard let kind = UInt8(kind).flatMap(Entry.Kind.init),
                let identity = ContentID(hexadecimal: identity)
            else { return nil }
            (self.kind, self.identity) = (kind, identity)
        }

        fileprivate var words: String { "\(kind.rawValue) \(identity)" }
    }

    /// The path of the conflict, and the version that was in place before the choice.
    var path: RelativePath
    var inPlace: Version
    /// The conflict copy, and its version.
    var copy: RelativePath
    var copied: Version

    init(path: RelativePath, inPlace: Version, copy: RelativePath, copied: Version) {
        (self.path, self.inPlace, self.copy, self.copied) = (path, inPlace, copy, copied)
    }

    /// Parses the words of ``line``; nil if it is malformed.
    fileprivate init?(_ words: [String]) {
        guard words.count == 6,
            let path = RelativePath(noteWord: words[0]),
            let inPlace = Version(words[1], words[2]),
            let copy = RelativePath(noteWord: words[3]),
            let copied = Version(words[4], words[5])
        else { return nil }
        self.init(path: path, inPlace: inPlace, copy: copy, copied: copied)
    }

    /// The path, its kind and identity, and those of the copy.
    fileprivate var line: String {
        "\(hexadecimal(path.bytes)) \(inPlace.words) \(hexadecimal(copy.bytes)) \(copied.words)\n"
    }

    fileprivate static let name = "unsent-ends"
}

extension ManifestDatabase {
    /// The conflicts that have ended here before the store was left, until the next one was read.
    fileprivate func notedEnds() throws -> [UnsentEnd] {
        (try value(UnsentEnd.name) ?? []).noteLines.compactMap(UnsentEnd.init)
    }
}

extension ManifestWriter {
    /// Notes conflicts for the next store, besides those of a store that was left without a sync.
    func noteEnds(_ ends: [UnsentEnd], in manifest: ManifestDatabase) throws {
        let known = try manifest.notedEnds()
        let all = known.filter { end in !ends.contains { $0.copy == end.copy } } + ends
        try setValue(UnsentEnd.name, all.isEmpty ? nil : Array(all.map(\.line).joined().utf8))
    }
}

extension Conflicts {
    /// The conflicts that have ended here, as their copies are gone, and of which nothing was sent.
    func unsentEnds() throws -> [UnsentEnd] {
        let own = Dictionary(
            try manifest.conflicts().compactMap { row in row.copyPath.map { ($0, row.path) } }
        ) { $1 }
        return try manifest.basePaths(containing: conflictMark).sorted().compactMap { copy in
            guard let path = own[copy] ?? conflictOriginal(of: copy)?.path,
                let copied = try manifest.base(copy).flatMap({ UnsentEnd.Version($0.entry) }),
                let inPlace = try manifest.base(path).flatMap({ UnsentEnd.Version($0.entry) })
            else { return nil }
            let end = UnsentEnd(path: path, inPlace: inPlace, copy: copy, copied: copied)
            return try isEnded(end) ? end : nil
        }
    }

    /// Whether only the file in place is there.
    fileprivate func isEnded(_ end: UnsentEnd) throws -> Bool {
        guard try !root.holds(end.copy), let status = try root.status(end.path) else {
            return false
        }
        return status.kind == .file || status.kind == .symlink
    }
}

extension SyncEngine {
    /// Takes the versions that a store has of conflicts which had ended here, and were not sent to the store that was left, as agreed
    /// on, if both are as they were there. For the first fetch of a store only.
    func keepEnds(_ view: inout RemoteView, _ run: inout SyncRun) throws {
        guard try manifest.token == nil else { return }
        let noted = try manifest.notedEnds()
        guard !noted.isEmpty else { return }
        var rows: [RelativePath: BaseRow] = [:]
        for end in noted {
            guard let inPlace = view.changes[end.path]?.entry,
                let copy = view.changes[end.copy]?.entry,
                UnsentEnd.Version(inPlace.entry) == end.inPlace,
                UnsentEnd.Version(copy.entry) == end.copied, try conflicts.isEnded(end)
            else { continue }
            for (path, found) in [(end.path, inPlace), (end.copy, copy)] {
                rows[path] = BaseRow(
                    path: path, entry: found.entry, version: found.version, stamp: nil)
            }
        }
        if !run.options.isDryRun {
            try manifest.write { [rows] writer in
                for row in rows.values { try writer.putBase(row) }
                try writer.setValue(UnsentEnd.name, nil)
            }
        }
        guard !rows.isEmpty else { return }
        for path in rows.keys { view.changes[path] = nil }
        let selected = rows.values.filter { !run.isPartial || run.selection.contains($0.path) }
        run.base = BaseIndex(run.base.rows.filter { rows[$0.path] == nil } + selected)
        run.hasFetchedBase = true
    }

    /// Reports conflicts that are open again: what was here has given way to the version of the store, and is in a conflict copy that
    /// has come from there in the same round.
    func noteReceivedCopies(_ done: [Step], _ run: inout SyncRun) {
        let decided = done.filter { $0.isKeptBoth && !run.report.conflicts.contains($0.path) }
        guard !decided.isEmpty else { return }
        let copies = done.copiesByOriginal
        for step in decided where step.receivedCopy(in: copies) != nil {
            run.report.conflicts.append(step.path)
            run.report.newConflicts.insert(step.path)
        }
    }
}

extension Step {
    /// Whether both versions stay, and the one of the store has the name here, too.
    fileprivate var isKeptBoth: Bool {
        guard case .take = action else { return false }
        return reason == .strategy(End.keepBoth.rawValue)
    }

    /// The step that writes what was in place at this one's path as a conflict copy of it; nil for none.
    ///
    /// - Parameter copies: See ``Swift/Array/copiesByOriginal``.
    package func receivedCopy(in copies: [RelativePath: [Step]]) -> Step? {
        guard let replaced = ours else { return nil }
        return copies[path]?.first { $0.action.entry?.hasSameContent(as: replaced) == true }
    }
}

extension [Step] {
    /// The steps that write new files with the names of conflict copies, which have come from the store, by the paths of
    /// the conflicts.
    package var copiesByOriginal: [RelativePath: [Step]] {
        var copies: [RelativePath: [Step]] = [:]
        for step in self where step.base == nil {
            guard case .take = step.action, let original = conflictOriginal(of: step.path)?.path
            else { continue }
            copies[original, default: []].append(step)
        }
        return copies
    }
}

extension Failure {
    /// How many paths a message names.
    private static let namedPaths = 5

    /// Conflicts that have ended here, of which the next store is told if it has what the former one had.
    static func ending(_ ends: [UnsentEnd]) -> Failure {
        let paths = Set(ends.map(\.path)).sorted()
        if let path = paths.first, paths.count == 1 {
            return Failure(
                .differs, path: path.bytes,
                "Its conflict has ended here, and that was not sent. The next sync sends it if the new store has both versions as "
                    + "they were.",
                remedy: "Else the conflict opens again: see filesinki conflicts.")
        }
        let names = paths.prefix(namedPaths).map { "\"\(printable($0.bytes))\"" }
            .joined(separator: ", ")
        let rest = paths.count > namedPaths ? ", … (\(paths.count - namedPaths) more)" : ""
        return Failure(
            .differs,
            "\(CountText.text(paths.count, "conflict")) have ended here, and that was not sent: \(names)\(rest). The next sync "
                + "sends it where the new store has both versions as they were.",
            remedy: "Else a conflict opens again: see filesinki conflicts.")
    }
}
