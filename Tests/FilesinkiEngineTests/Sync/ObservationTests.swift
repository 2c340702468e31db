import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import Testing

@testable import FilesinkiEngine

/// The local tree as the engine sees it: what differs, and what nothing may be decided about.
@Suite struct ObservationTests {
    private func path(_ text: String) throws -> RelativePath { try RelativePath(text) }

    private func entry(_ text: String) -> Entry {
        .file(
            ContentHasher.hash(Array(text.utf8)), size: Int64(text.utf8.count), mode: 0o644,
            modified: Timestamp(nanoseconds: 0))
    }

    private func stamp(
        inode: UInt64 = 1, size: Int64 = 1, modified: Int64 = 1, device: UInt64 = 1
    ) -> FileStamp {
        FileStamp(
            device: device, inode: inode, size: size, modified: Timestamp(nanoseconds: modified),
            changed: Timestamp(nanoseconds: 1))
    }

    private func failure(_ code: Failure.Code) -> Failure {
        Failure(code, path: "p", "It failed.", remedy: "Run again.")
    }

    private func file(
        _ path: String, _ text: String, isSettled: Bool = true, isLive: Bool = false
    ) throws -> UploadResult.File {
        .init(
            path: try self.path(path), entry: entry(text), stamp: stamp(), isSettled: isSettled,
            isLive: isLive)
    }

    @Test func `a file that was read is a change, or only has a new stamp`() throws {
        let base = BaseIndex([
            BaseRow(path: try path("same"), entry: entry("1"), version: 7),
            BaseRow(path: try path("touched"), entry: entry("1"), version: 8),
            BaseRow(path: try path("edited"), entry: entry("1"), version: 9),
        ])
        var result = UploadResult()
        result.files = [
            try file("same", "1"), try file("touched", "1", isSettled: false),
            try file("edited", "2"), try file("new", "3", isSettled: false),
        ]
        var seen = Observation()
        seen.changes[try path("same")] = LocalChange(entry("0"))
        seen.addFiles(result, base)
        #expect(
            seen.changes.mapValues(\.entry) == [
                try path("edited"): entry("2"), try path("new"): entry("3"),
            ])
        #expect(seen.refreshed.map(\.path.description) == ["same", "touched"])
        #expect(seen.refreshed.map(\.version) == [7, 8])
        #expect(seen.refreshed.map(\.stamp) == [stamp(), nil])
        #expect(Set(seen.stamps.keys.map(\.description)) == ["same", "touched", "edited", "new"])
        #expect(try seen.settledStamp(path("edited")) == stamp())
        #expect(try seen.settledStamp(path("new")) == nil)
    }

    @Test func `the time of a live file alone is no change, its mode is`() throws {
        var known = entry("1")
        known.modified = Timestamp(nanoseconds: 5)
        for (mode, isLive, isChange) in [
            (UInt16(0o644), true, false), (0o600, true, true), (0o644, false, true),
        ] {
            known.mode = mode
            let base = BaseIndex([BaseRow(path: try path("x"), entry: known, version: 1)])
            var result = UploadResult()
            result.files = [try file("x", "1", isLive: isLive)]
            var seen = Observation()
            seen.addFiles(result, base)
            #expect(seen.changes.isEmpty != isChange, "\(mode) \(isLive)")
        }
    }

    @Test func `nothing is decided about what could not be read`() throws {
        var result = UploadResult()
        result.problems = [
            Problem(try path("d/restless"), failure(.changing)),
            Problem(try path("broken"), failure(.io)),
        ]
        result.vanished = [try path("gone")]
        var seen = Observation()
        seen.addFiles(result, BaseIndex([]))
        for (name, isBlocked) in [
            ("d/restless", true), ("broken", true), ("broken/below", true), ("gone", true),
            ("d", false), ("other", false), ("brokenly", false),
        ] {
            #expect(try seen.isBlocked(path(name)) == isBlocked, "\(name)")
        }
        #expect(seen.problems.map(\.path.description) == ["broken"])
        #expect(seen.restless.keys.map(\.description) == ["d/restless"])
        #expect(seen.vanished.map(\.description) == ["gone"])
    }

    @Test func `a scan tells what is gone, ignored, new and special`() throws {
        var scan = ScanResult()
        scan.changed = [ScanChange(path: try path("d"), entry: entry("1"), stamp: stamp())]
        scan.missing = [try path("gone")]
        scan.ignored = [try path("ignored")]
        scan.blocked = [try path("blocked")]
        scan.problems = [Problem(try path("blocked"), failure(.io))]
        scan.specials = [ScanSpecial(path: try path("fifo"), word: "fifo")]
        scan.mountPoints = [try path("mount")]
        scan.replicas = [try path("replica")]
        scan.restamped = [BaseRow(path: try path("r"), entry: entry("1"), version: 1)]
        scan.fileCount = 5
        var seen = Observation()
        seen.addScan(scan)
        #expect(Set(seen.changes.keys.map(\.description)) == ["d", "gone"])
        #expect(try seen.changes[path("gone")]?.entry == nil)
        #expect(try seen.stamps == [path("d"): stamp()])
        #expect(Set(seen.blocked.map(\.description)) == ["blocked", "ignored"])
        #expect(seen.ignored.map(\.description) == ["ignored"])
        #expect(seen.problems.count == 1)
        #expect(seen.refreshed.map(\.path.description) == ["r"])
        #expect(seen.notices.map(\.path.description) == ["mount", "replica", "fifo"])
        #expect(seen.notices.last?.failure.message == "Not synced: a fifo.")
        #expect(seen.fileCount == 5)
    }

    @Test func `what is as in the base at a later scan is no change any more`() throws {
        let names = ["gone", "unread", "other"]
        var seen = Observation()
        for name in names {
            seen.changes[try path(name)] = LocalChange(entry("1"))
            seen.stamps[try path(name)] = stamp()
        }
        var later = Observation()
        later.scanned = [try path("gone"), try path("unread"), try path("new")]
        later.changes[try path("new")] = LocalChange(entry("2"))
        later.blocked = [try path("unread")]
        seen.add(later)
        #expect(Set(seen.changes.keys.map(\.description)) == ["unread", "other", "new"])
        #expect(Set(seen.stamps.keys.map(\.description)) == ["unread", "other"])
    }

    @Test(
        "a new file with the inode, size and time of a missing one is that file",
        arguments: [
            ("inode", false), ("size", false), ("time", false), ("device", false),
            ("kind", false), ("known", false), ("nothing", true),
        ])
    func moves(_ difference: String, _ isMove: Bool) throws {
        let (old, new) = (try path("old"), try path("new"))
        var rows = [BaseRow(path: old, entry: entry("1"), version: 1, stamp: stamp())]
        if difference == "known" { rows.append(BaseRow(path: new, entry: entry("2"), version: 1)) }
        var seen = Observation()
        seen.changes[old] = LocalChange(nil)
        seen.changes[new] = LocalChange(
            difference == "kind"
                ? .symlink(to: [97], modified: Timestamp(nanoseconds: 0)) : entry("2"))
        seen.stamps[new] = stamp(
            inode: difference == "inode" ? 2 : 1, size: difference == "size" ? 2 : 1,
            modified: difference == "time" ? 2 : 1, device: difference == "device" ? 2 : 1)
        seen.findMoves([], BaseIndex(rows), now: stamp().changed) { _ in nil }
        #expect(seen.changes[new]?.movedFrom == nil)
        seen.findMoves([old], BaseIndex(rows), now: stamp().changed) { _ in nil }
        #expect(seen.changes[new]?.movedFrom == (isMove ? old : nil))
    }

    @Test(
        "a changed one with the inode of a missing one is that, if it was not made after the stamp of that",
        arguments: [(0, true), (1, true), (2, false), (nil, false)]
            as [(born: Int64?, isMove: Bool)],
        [false, true])
    func changedMoves(_ move: (born: Int64?, isMove: Bool), _ isFolder: Bool) throws {
        let (old, new, other) = (try path("old"), try path("new"), try path("other"))
        let folder = Entry.directory(mode: 0o755, modified: Timestamp(nanoseconds: 0))
        let known = isFolder ? folder : entry("1")
        let base = BaseIndex([BaseRow(path: old, entry: known, version: 1, stamp: stamp())])
        var seen = Observation()
        seen.changes = [old: LocalChange(nil)]
        for path in [new, other] {
            seen.changes[path] = LocalChange(isFolder ? folder : entry("22"))
        }
        seen.stamps = [
            new: stamp(size: 2, modified: 2), other: stamp(size: 2, modified: 2, device: 2),
        ]
        var asked: [RelativePath] = []
        let changed = stamp().changed
        let before = Timestamp(nanoseconds: changed.nanoseconds - 1)
        // A clock that was set back since says nothing.
        seen.findMoves([old], base, now: before) { _ in before }
        #expect(seen.changes[new]?.movedFrom == nil)
        seen.findMoves([old], base, now: changed) { path in
            asked.append(path)
            return move.born.map { Timestamp(nanoseconds: $0) }
        }
        #expect(seen.changes[new]?.movedFrom == (move.isMove ? old : nil))
        #expect(seen.changes[other]?.movedFrom == nil)
        #expect(asked == [new])
    }

    @Test func `a later scan of some paths replaces what was seen of them`() throws {
        let (one, two) = (try path("one"), try path("two"))
        var first = Observation()
        first.changes = [one: LocalChange(entry("1")), two: LocalChange(entry("2"))]
        first.stamps = [one: stamp(), two: stamp()]
        first.restless = [one: failure(.changing)]
        var later = Observation()
        later.changes = [one: LocalChange(entry("later"))]
        later.stamps = [one: stamp(inode: 9)]
        later.unsettled = [one]
        later.unstored = [one]
        later.blocked = [two]
        later.vanished = [two]
        later.restless = [one: failure(.io)]
        later.problems = [Problem(two, failure(.io))]
        later.refreshed = [BaseRow(path: two, entry: entry("1"), version: 1)]
        later.inline = [InlineContent(id: ContentHasher.hash([1]), bytes: [1])]
        later.packs = [
            PackReference(id: [1], size: 1, indexHash: ContentHasher.hash([1]))
        ]
        first.add(later)
        #expect(first.changes.mapValues(\.entry) == [one: entry("later"), two: entry("2")])
        #expect(first.stamps == [one: stamp(inode: 9), two: stamp()])
        #expect(first.unsettled == [one] && first.unstored == [one])
        #expect(first.blocked == [two] && first.vanished == [two])
        #expect(first.restless[one]?.code == .io)
        #expect(first.problems.count == 1 && first.refreshed.count == 1)
        #expect(first.inline.count == 1 && first.packs.count == 1)
    }
}
