import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// A path that is not there was deleted, or is on a file system that is not mounted.
@Suite struct MountCheckTests {
    /// A replica's root, and what was synced: `disk` on another device, `plain` on that of the root. Devices are counted
    /// from the root's.
    private func isUnmounted(
        _ path: String, above folder: UInt64, former: UInt64?
    ) async throws -> Bool {
        let world = try World()
        let a = try await world.replica("a")
        return try await a.with { replica in
            try await replica.perform(SyncEngine.self) { engine in
                let device = try engine.root.status().stamp.device
                let check = try MountCheck(
                    engine.root, try Self.base(on: device), formerDevice: former.map { device + $0 }
                )
                return check.isUnmounted(
                    try RelativePath(path), above: folder == 0 ? nil : device + folder)
            }
        }
    }

    private static func base(on device: UInt64) throws -> BaseIndex {
        let folder = Entry.directory(mode: 0o755, modified: Timestamp(nanoseconds: 0))
        let file = Entry.file(
            .none, size: 1, mode: 0o644, modified: Timestamp(nanoseconds: 0))
        let rows: [(String, Entry, UInt64?)] = [
            ("disk", folder, 1), ("disk/f", file, 1), ("disk/new", file, nil), ("f", file, 1),
            ("plain", folder, 0), ("plain/f", file, 0),
        ]
        return BaseIndex(
            try rows.map { path, entry, offset in
                BaseRow(
                    path: try RelativePath(path), entry: entry, version: 1,
                    stamp: offset.map { offset in
                        FileStamp(
                            device: device + offset, inode: 1, size: 1,
                            modified: Timestamp(nanoseconds: 1), changed: Timestamp(nanoseconds: 1))
                    })
            })
    }

    @Test(
        "what was on another device than the folder above it is not taken for deleted",
        arguments: [
            ("disk", 0, true), ("disk/f", 0, true),
            // Its own device is not known: that of the folder counts.
            ("disk/new", 0, true), ("disk/never-seen", 0, true),
            // The disk is there: a deletion on it.
            ("disk/f", 1, false), ("disk/new", 1, false),
            // Another file system is in the place of a folder of the root.
            ("plain/f", 1, true),
            ("plain", 0, false), ("plain/f", 0, false),
            // A file in the root itself is on the device of the root, whatever its number was.
            ("f", 0, false), ("other", 0, false), ("other/f", 0, false),
        ] as [(String, UInt64, Bool)])
    func devices(_ path: String, _ folder: UInt64, _ isGone: Bool) async throws {
        #expect(try await isUnmounted(path, above: folder, former: nil) == isGone)
    }

    @Test(
        "a root that was mounted again under another number takes along what was on its device",
        arguments: [("disk", 0, false), ("disk/f", 0, false), ("disk/f", 2, true)]
            as [(String, UInt64, Bool)])
    func renumbered(_ path: String, _ folder: UInt64, _ isGone: Bool) async throws {
        #expect(try await isUnmounted(path, above: folder, former: 1) == isGone)
    }
}
