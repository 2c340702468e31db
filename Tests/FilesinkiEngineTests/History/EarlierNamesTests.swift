import FilesinkiModel
import FilesinkiStore
import Testing

@testable import FilesinkiEngine

/// Under which name a path was deleted that a folder's rename would have brought along.
@Suite struct EarlierNamesTests {
    private func path(_ text: String) -> RelativePath { RelativePath(unchecked: Array(text.utf8)) }

    /// The rename of a folder in which is one file.
    private func rename(_ old: String, _ new: String, file: String = "z") -> [Change] {
        let folder = Entry.directory(mode: 0o755, modified: Timestamp(nanoseconds: 1))
        return [
            Change(path: path(new), entry: folder, basedOn: 0),
            Change("\(new)/\(file)", file, movedFrom: "\(old)/\(file)"),
            Change("\(old)/\(file)", nil), Change(old, nil),
        ]
    }

    private func deleted(_ wanted: String, _ commits: [Change]...) -> String? {
        var names = EarlierNames(of: path(wanted))
        for (index, changes) in commits.enumerated() {
            names.fold(Commit(UInt64(index) + 1, changes))
        }
        return names.deleted?.description
    }

    private let made = [Change("p/y", "y"), Change("p/z", "z")]

    @Test func `a deletion is followed through each rename of its folder`() {
        let commits = [made, [Change("p/y", nil)], rename("p", "q"), rename("q", "r")]
        for name in ["q/y", "r/y"] {
            #expect(deleted(name, commits[0], commits[1], commits[2], commits[3]) == "p/y")
        }
        #expect(deleted("p/y", commits[0], commits[1], commits[2], commits[3]) == nil)
        #expect(deleted("r/x", commits[0], commits[1], commits[2], commits[3]) == nil)
    }

    @Test func `a deletion in the commit that renames the folder counts, a later one does not`() {
        #expect(deleted("q/y", made, rename("p", "q") + [Change("p/y", nil)]) == "p/y")
        let again = [Change("p/y", "other")]
        #expect(deleted("q/y", made, rename("p", "q"), again, [Change("p/y", nil)]) == nil)
    }

    @Test func `what came back, or was renamed itself, was not deleted`() {
        let back = [Change("p/y", "back")]
        #expect(deleted("q/y", made, [Change("p/y", nil)], back, rename("p", "q")) == nil)
        let away = [Change("w/y", "y", movedFrom: "p/y"), Change("p/y", nil)]
        #expect(deleted("q/y", made, away, rename("p", "q")) == nil)
    }

    @Test func `a folder in a renamed one may have come from elsewhere`() {
        let deletions = [Change("p/x/y", nil), Change("o/y", nil)]
        let renames = rename("p", "q") + rename("o", "q/x", file: "w")
        #expect(deleted("q/x/y", deletions, renames) == "p/x/y")
        #expect(deleted("q/x/y", [Change("o/y", nil)], renames) == "o/y")
    }
}
