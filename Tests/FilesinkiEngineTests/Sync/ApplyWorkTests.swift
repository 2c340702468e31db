import FilesinkiHashing
import FilesinkiModel
import FilesinkiReconcile
import Testing

@testable import FilesinkiEngine

/// The order in which the writes of a plan can be done.
@Suite struct ApplyWorkTests {
    private static let time = Timestamp(nanoseconds: 0)

    private func path(_ text: String) throws -> RelativePath { try RelativePath(text) }

    private func file(_ text: String, mode: UInt16 = 0o644) -> Entry {
        .file(
            ContentHasher.hash(Array(text.utf8)), size: Int64(text.utf8.count), mode: mode,
            modified: Self.time)
    }

    private let folder = Entry.directory(mode: 0o755, modified: time)
    private let link = Entry.symlink(to: [97], modified: time)

    private func take(
        _ path: String, _ entry: Entry, here: Entry? = nil, from origin: String? = nil
    ) throws -> Step {
        Step(
            path: try self.path(path), ours: here, action: .take(entry), reason: .edit,
            origin: try origin.map { try self.path($0) })
    }

    private func copy(
        _ path: String, _ entry: Entry, here: Entry? = nil, from origin: String? = nil
    ) throws -> Step {
        Step(
            path: try self.path(path), ours: here, action: .both(entry), reason: .edit,
            origin: try origin.map { try self.path($0) })
    }

    private func words(_ tasks: [ApplyTask]) -> [String] { tasks.map(\.path.description) }

    @Test func `each step is done by its kind`() throws {
        let work = ApplyWork([
            try take("new", file("1")), try take("edited", file("2"), here: file("1")),
            try take("mode", file("1", mode: 0o600), here: file("1")),
            try take("moved", file("1"), from: "old"), try take("old", .tombstone, here: file("1")),
            try take("swapped", file("1"), here: file("2"), from: "other"),
            try take("link", link), try take("d", folder), try take("d/e", folder),
            try take("gone", .tombstone, here: folder),
            try take("gone/x", .tombstone, here: folder),
            try copy("copy", file("1"), from: "edited"),
            try copy("same", file("1"), here: file("1")),
            Step(path: try path("agreed"), action: .agree, reason: .equal),
            Step(path: try path("ours"), action: .publish(file("1")), reason: .edit),
        ])
        #expect(words(work.files) == ["new", "edited", "swapped"])
        #expect(words(work.attributes) == ["mode"])
        #expect(words(work.moves) == ["moved"])
        #expect(words(work.removals) == ["old"])
        #expect(words(work.links) == ["link"])
        #expect(words(work.newFolders) == ["d", "d/e"])
        #expect(words(work.folders) == [])
        #expect(words(work.folderRemovals) == ["gone/x", "gone"])
        #expect(words(work.copies) == ["copy"])
        #expect(work.ready.map(\.description) == ["same"])
        #expect(work.makingWay.isEmpty && work.lateCopies.isEmpty)
        #expect(
            work.newPaths.map(\.description).sorted() == [
                "copy", "d", "d/e", "link", "moved", "new",
            ])
        #expect(work.leaving.map(\.description).sorted() == ["gone", "gone/x", "old"])
    }

    @Test func `what takes the place of a folder waits for its removal`() throws {
        let work = ApplyWork([
            try take("file", file("1"), here: folder), try take("link", link, here: folder),
            try copy("copy", file("1"), here: folder, from: "x"),
        ])
        #expect(work.makingWay.map(\.description).sorted() == ["copy", "file", "link"])
        #expect(words(work.folderRemovals) == ["link", "file", "copy"])
        #expect(words(work.lateCopies) == ["copy"])
        #expect(words(work.copies) == [])
    }

    @Test func `a folder that takes the place of something else is late, with all in it`() throws {
        let work = ApplyWork([
            try take("b", folder), try take("a/s", folder), try take("a", folder, here: file("1")),
            try take("b/s", folder), try copy("a/copy", file("1"), from: "x"),
            try copy("b/copy", file("1"), from: "x"),
        ])
        #expect(words(work.newFolders) == ["b", "b/s"])
        #expect(words(work.folders) == ["a", "a/s"])
        #expect(words(work.lateCopies) == ["a/copy"])
        #expect(words(work.copies) == ["b/copy"])
        #expect(work.newPaths.map(\.description).sorted() == ["a/s", "b", "b/copy", "b/s"])
    }

    @Test func `an old name stays until its content is at the new one`() throws {
        var work = ApplyWork([
            try take("d/moved", file("1"), from: "old/moved"),
            try take("d/left", file("2"), from: "old/left"),
            try take("old/moved", .tombstone, here: file("1")),
            try take("old/left", .tombstone, here: file("2")),
            try take("old/gone", .tombstone, here: file("3")),
            try take("old", .tombstone, here: folder), try take("other", .tombstone, here: folder),
        ])
        let late = try work.takeOrigins(besides: [path("d/moved")], whereNamesFold: { _ in false })
        #expect(words(late.removals) == ["old/left"])
        #expect(words(late.folderRemovals) == ["old"])
        #expect(words(work.removals) == ["old/moved", "old/gone"])
        #expect(words(work.folderRemovals) == ["other"])
    }

    @Test("an old spelling has to make way first where names fold", arguments: [true, false])
    func spelling(_ folds: Bool) throws {
        var work = ApplyWork([
            try take("README", file("1"), from: "readme"),
            try take("readme", .tombstone, here: file("1")),
        ])
        let late = work.takeOrigins(besides: [], whereNamesFold: { _ in folds })
        #expect(words(late.removals) == (folds ? [] : ["readme"]))
    }

    @Test func `what belongs into a folder that could not be made is dropped`() throws {
        var work = ApplyWork([
            try take("d/s", folder), try take("d/x", file("1")), try take("d/l", link),
            try take("d/m", file("1"), from: "o"), try copy("d/c", file("1"), from: "o"),
            try take("d/here", file("2"), here: file("1")), try take("dd", file("1")),
        ])
        work.drop(below: [try path("d")])
        #expect(words(work.newFolders + work.links + work.moves + work.copies) == [])
        #expect(words(work.files) == ["d/here", "dd"])
        work.drop(below: [])
        #expect(words(work.files) == ["d/here", "dd"])
    }

    @Test func `what would replace a needed content is dropped`() throws {
        var work = ApplyWork([
            try take("file", file("2"), here: file("1")), try take("gone", .tombstone, here: link),
            try take("mode", file("1", mode: 0o600), here: file("1")),
            try take("link", link, here: file("1")), try take("kept", file("1")),
            try take("moved", file("1"), from: "o"), try take("d", folder, here: file("1")),
            try take("f", .tombstone, here: folder),
        ])
        let names = ["file", "gone", "mode", "link", "moved", "d", "f"]
        work.drop(Set(try names.map { try path($0) }))
        #expect(
            words(
                work.files + work.removals + work.attributes + work.links + work.moves
                    + work.folders + work.folderRemovals) == ["kept"])
    }

    @Test func `the results of two parts are one`() throws {
        let problem = Problem(
            try path("p"), Failure(.io, path: "p", "It failed.", remedy: "Run again."))
        var first = ApplyResult()
        first.done[try path("a")] = .some(nil)
        (first.surprised, first.deferred) = ([try path("s")], [try path("d")])
        (first.problems, first.bytes) = ([problem], 5)
        var both = first
        var second = first
        second.done = [try path("b"): nil]
        both.add(second)
        #expect(Set(both.done.keys.map(\.description)) == ["a", "b"])
        #expect(both.surprised.count == 2 && both.deferred.count == 2)
        #expect(both.problems.count == 2 && both.bytes == 10)
    }

    @Test func `a step is recorded if it wrote nothing, or is done and not held back`() throws {
        var result = ApplyResult()
        result.done[try path("done")] = .some(nil)
        let published = Step(path: try path("p"), action: .publish(file("1")), reason: .edit)
        #expect(result.allows(published))
        #expect(try result.allows(take("done", file("1"))))
        #expect(try !result.allows(take("other", file("1"))))
        let copy = Step(
            path: try path("copy"), action: .both(file("1")),
            reason: .conflictCopy(of: try path("done")), origin: try path("done"))
        result.holdOriginals(of: [copy])
        #expect(try !result.allows(take("done", file("1"))))
        #expect(try result.held == [path("done")])
        #expect(!result.allows(copy))
        result.held = [try path("d")]
        #expect(
            try !result.allows(
                Step(path: path("d/x"), action: .publish(file("1")), reason: .edit)))
        #expect(
            try result.allows(
                Step(path: path("dd"), action: .publish(file("1")), reason: .edit)))
    }
}
