import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import Testing

@testable import FilesinkiEngine
@testable import FilesinkiManifest

/// Where the files were in the base that several commits together have renamed.
@Suite struct CommitRenamesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        /// The changes of each commit: `f` is written, `-f` deleted, `f>g` renamed, with the deletion of the old name;
        /// `f>>g` without it.
        var commits: [String]
        /// Each path that is a renamed file in the end, and where it was.
        var origins: [String: String]

        var testDescription: String { name }
    }

    @Test("the paths in the base", arguments: plain + chains + again)
    func origins(_ row: Case) {
        let view = folded(row.commits)
        let found = view.changes.compactMap { path, change in
            change.movedFrom.map { (path.description, $0.description) }
        }
        #expect(Dictionary(uniqueKeysWithValues: found) == row.origins)
    }

    static let plain = [
        Case(name: "a rename", commits: ["f>g"], origins: ["g": "f"]),
        Case(name: "an edit behind it", commits: ["f>g", "g"], origins: ["g": "f"]),
        Case(name: "edits behind it", commits: ["f>g", "g", "g h", "g"], origins: ["g": "f"]),
        Case(name: "an edit before it", commits: ["f", "f>g"], origins: ["g": "f"]),
        Case(name: "deleted behind it", commits: ["f>g", "-g"], origins: [:]),
        Case(name: "deleted, and another one", commits: ["f>g", "-g", "g"], origins: [:]),
        Case(name: "a folder in its place", commits: ["f>g", "g/"], origins: [:]),
        Case(
            name: "rules are received before anything else",
            commits: ["f>.filesinkiignore", ".filesinkiignore"], origins: [:]),
    ]

    static let chains = [
        Case(name: "a chain", commits: ["f>g", "g>h"], origins: ["h": "f"]),
        Case(
            name: "a chain with edits", commits: ["f>g", "g", "g>h", "h"], origins: ["h": "f"]),
        Case(name: "back again", commits: ["f>g", "g", "g>f"], origins: [:]),
        Case(name: "back again, and away", commits: ["f>g", "g>f", "f>h"], origins: ["h": "f"]),
        Case(
            name: "two files behind each other", commits: ["g>h f>g", "g h"],
            origins: ["h": "g", "g": "f"]),
        Case(
            name: "likewise, both once more", commits: ["g>h f>g", "h>i g>h"],
            origins: ["i": "g", "h": "f"]),
        Case(
            name: "exchanged by a third name", commits: ["f>t", "g>f", "t>g", "f g"],
            origins: ["f": "g", "g": "f"]),
        Case(
            name: "exchanged at once, and back", commits: ["f>>g g>>f", "f>>g g>>f"],
            origins: [:]),
        Case(
            name: "over another file", commits: ["f>g", "g", "g>h k>g"],
            origins: ["h": "f", "g": "k"]),
        Case(
            name: "a new file in the place of one that was renamed once more",
            commits: ["f>g", "g>h g"], origins: ["h": "f"]),
    ]

    static let again = [
        Case(name: "a new file under the old name", commits: ["f>g", "g f"], origins: ["g": "f"]),
        Case(
            name: "which is renamed, too", commits: ["f>g", "f", "g", "f>a", "a"],
            origins: ["g": "f"]),
        Case(
            name: "a new file by the same commit, renamed later",
            commits: ["f>>g f", "f>>h f", "f"], origins: ["g": "f"]),
        Case(
            name: "said again by a device that has followed it", commits: ["f>g", "f>>g"],
            origins: ["g": "f"]),
        Case(
            name: "said again behind a chain", commits: ["f>g", "g>h", "f>>h", "h"],
            origins: ["h": "f"]),
        Case(
            name: "said again where the old name has another file",
            commits: ["f>g", "f", "f>>g"], origins: ["g": "f"]),
        Case(
            name: "the old name is deleted by the next commit", commits: ["f>>g", "-f", "g"],
            origins: ["g": "f"]),
    ]

    @Test("a rename that the base has is none any more", arguments: [1, 2, 3] as [UInt64])
    func ended(_ version: UInt64) {
        var view = folded(["f>g", "g"])
        view.changes[path("g")]?.endRename(
            by: BaseRow(path: path("g"), entry: .made("1"), version: version))
        #expect((view.changes[path("g")]?.movedFrom == nil) == (version >= 2))
        view.changes[path("f")]?.endRename(by: nil)
        #expect(view.changes[path("f")]?.hasMovedAway == true)
    }

    private func path(_ text: String) -> RelativePath { RelativePath(unchecked: Array(text.utf8)) }

    private func folded(_ commits: [String]) -> RemoteView {
        var view = RemoteView(token: ChangeToken(sequence: 0, hash: .none))
        for (index, words) in commits.enumerated() {
            let sequence = UInt64(index + 1)
            var changes: [RelativePath: Change] = [:]
            for change in words.split(separator: " ").flatMap({ made(String($0), sequence) })
            where change.entry.kind != .tombstone || changes[change.path] == nil {
                changes[change.path] = change
            }
            view.fold(Commit(sequence, changes.values.sorted { $0.path < $1.path }))
        }
        return view
    }

    private func made(_ word: String, _ sequence: UInt64) -> [Change] {
        let text = "\(sequence)"
        if word.hasPrefix("-") { return [Change(String(word.dropFirst()), nil)] }
        if word.hasSuffix("/") {
            let entry = Entry.directory(mode: 0o755, modified: Timestamp(nanoseconds: 1))
            return [Change(path: path(String(word.dropLast())), entry: entry, basedOn: 0)]
        }
        let names = word.split(separator: ">").map(String.init)
        guard names.count == 2 else { return [Change(word, text)] }
        let renamed = Change(names[1], text, movedFrom: names[0])
        return word.contains(">>") ? [renamed] : [renamed, Change(names[0], nil)]
    }
}
