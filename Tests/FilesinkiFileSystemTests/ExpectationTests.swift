import FilesinkiHashing
import FilesinkiModel
import FilesinkiSystem
import Glibc
import Testing

@testable import FilesinkiFileSystem

/// What may be replaced: by the status alone, and once the file was moved out.
@Suite struct ExpectationTests {
    private static let stamp = FileStamp(
        device: 1, inode: 2, size: 3, modified: Timestamp(nanoseconds: 4),
        changed: Timestamp(nanoseconds: 5))

    private static func status(
        _ kind: FileStatus.Kind, size: Int64 = 3, changed: Int64 = 5
    ) -> FileStatus {
        var stamp = stamp
        stamp.size = size
        stamp.changed = Timestamp(nanoseconds: changed)
        return FileStatus(kind: kind, stamp: stamp, mode: 0o644)
    }

    /// The expected file, one that changed since, a longer one, a folder, a symlink, a fifo.
    private static let statuses = [
        status(.file), status(.file, changed: 6), status(.file, size: 4), status(.directory),
        status(.symlink), status(.special),
    ]

    private static let allowed: [(Expected, String)] = [
        (.absent, "------"), (.stamp(stamp), "y---y-"), (.link([116]), "----y-"),
        (.content(ContentHasher.hash([1]), size: 3), "yy----"), (.any, "yyy-y-"),
    ]

    @Test("what a status allows to replace", arguments: allowed)
    func allows(_ expected: Expected, _ words: String) {
        let found = Self.statuses.map { expected.allows($0) ? "y" : "-" }.joined()
        #expect(found == words)
    }

    @Test("what was moved out is compared by its content, but not by its change time")
    func judges() throws {
        let tree = try TemporaryTree()
        try tree.write("old", to: "f")
        try tree.link("t", at: "l")
        try tree.makeFolder("d")
        #expect(mkfifo(tree.absolute("p"), 0o600) == 0)
        var moved = try tree.stamp("f")
        moved.changed = Timestamp(nanoseconds: 0)
        var edited = moved
        edited.modified = Timestamp(nanoseconds: 0)
        var longer = moved
        longer.size += 1
        let (old, new) = (
            ContentHasher.hash(Array("old".utf8)), ContentHasher.hash(Array("new".utf8))
        )
        let rows: [(Expected, String)] = [
            (.absent, "----"), (.any, "yy--"), (.stamp(moved), "y---"), (.stamp(edited), "----"),
            (.stamp(longer), "----"), (.content(old, size: 3), "y---"),
            (.content(old, size: 4), "----"), (.content(new, size: 3), "----"),
            (.link([116]), "-y--"), (.link([117]), "----"), (.link([116, 116]), "----"),
        ]
        let folder = try tree.root.openParent(of: RelativePath("f"))
        for (expected, words) in rows {
            var found = ""
            for name in ["f", "l", "d", "p"] {
                let there = try folder.status(of: name.utf8)
                let status = try #require(there)
                let isExpected = try expected.judge(status, named: Array(name.utf8), in: folder)
                found += isExpected ? "y" : "-"
            }
            #expect(found == words, "\(expected)")
        }
        let identities: [(String, ContentID?)] = [
            ("f", old), ("l", ContentHasher.hash([116])), ("d", nil), ("p", nil), ("none", nil),
        ]
        for (name, expected) in identities {
            let found = try identity(of: Array(name.utf8), in: folder)
            #expect(found == expected, "\(name)")
        }
    }

    private static let kinds: [(mode_t, FileStatus.Kind, UInt16)] = [
        (S_IFREG | 0o7654, .file, 0o654), (S_IFDIR | 0o1777, .directory, 0o777),
        (S_IFLNK | 0o777, .symlink, 0o777), (S_IFIFO | 0o600, .special, 0o600),
        (S_IFSOCK | 0o2000, .special, 0), (S_IFCHR, .special, 0), (S_IFBLK, .special, 0),
    ]

    @Test("a status has the kind and the permission bits of the inode", arguments: kinds)
    func statuses(_ mode: mode_t, _ kind: FileStatus.Kind, _ permissions: UInt16) {
        var record = stat()
        record.st_mode = mode
        let status = FileStatus(record)
        #expect(status.kind == kind && status.mode == permissions)
        #expect(status.isReplaceable == (kind == .file || kind == .symlink))
    }

    private static let content = ContentHasher.hash([1]).description

    private static let intents: [(String, Intent.Expected?)] = [
        ("- any a", .any), ("- absent a b", .absent), ("1:2:3:4 any a", .any),
        (
            "- 1:2:3:-4 a",
            .identity(Intent.Identity(device: 1, inode: 2, size: 3, modified: -4))
        ),
        ("- \(content) a", .content(ContentHasher.hash([1]))),
        ("", nil), ("-", nil), ("- any", nil), ("- any ", nil), ("x any a", nil),
        ("- other a", nil), ("1:2:3 any a", nil), ("1:2:3:4:5 any a", nil),
        ("-1:2:3:4 any a", nil), ("1:-2:3:4 any a", nil), ("- \(content.dropLast()) a", nil),
    ]

    @Test("the record of a step is read exactly, or not at all", arguments: intents)
    func intent(_ text: String, _ expected: Intent.Expected?) throws {
        let found = Intent(Array(text.utf8))
        #expect(found?.expected == expected)
        guard let found else { return }
        #expect((found.ours == nil) == text.hasPrefix("- "))
        #expect(found.path == Array(text.split(separator: " ", maxSplits: 2)[2].utf8))
        #expect(found.bytes == Array(text.utf8))
    }
}
