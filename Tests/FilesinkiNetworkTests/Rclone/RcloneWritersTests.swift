import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiNetwork

/// Who may change a store at a provider that several devices cannot share.
@Suite(.enabled(if: RemoteKind.hasRclone, "rclone is not installed"))
struct RcloneWritersTests {
    /// Devices with one rclone each, and a store in a folder that is played to be of another type.
    ///
    /// Of rclone's own types only `memory` is no folder, and it is another one in each rclone.
    private struct Devices {
        let place: RclonePlace
        let shared: RcloneLink

        init() throws {
            place = try RclonePlace()
            shared = try place.link("memory:store")
        }

        func device(_ writer: String?) -> RcloneRemote {
            RcloneRemote(shared, RcloneWriters(writer))
        }
    }

    private let slot = "zones/files/log/1/c"

    @Test func `without a declaration nothing is written, and all is read`() async throws {
        let devices = try Devices()
        let key = try ObjectKey("packs/0a/1")
        try await devices.device("a").put([1], to: key)
        let other = devices.device(nil)
        for change: @Sendable () async throws -> Void in [
            { try await other.put([1], to: ObjectKey("packs/0a/2")) },
            { try await other.delete(key) },
            { _ = try await other.publish([1], to: ObjectKey("zones/files/log/1/c")) },
        ] {
            let failure = await #expect(throws: Failure.self) { try await change() }
            #expect(failure?.code == .unfitStore)
            #expect(failure?.remedy.contains("--single-writer") == true)
        }
        #expect(try await other.get(key, range: nil) == [1])
        // A check of the remote writes what is nobody's.
        try await other.put([1], to: ObjectKey("probe/1/packs/1"))
    }

    @Test func `a second device that declares the same is found before its commit`() async throws {
        let devices = try Devices()
        let first = devices.device("a")
        #expect(try await first.publish([1], to: ObjectKey(slot)) == .mine)
        let marks = try await first.list(prefix: "writers/", after: nil, limit: 9)
        #expect(marks.map(\.key.description) == ["writers/a"])
        let all = try await first.list(prefix: "", after: nil, limit: 1)
        #expect(all.map(\.key.description) == [slot])
        let rest = try await first.list(prefix: "", after: all[0].key, limit: 9)
        #expect(rest.isEmpty)
        let second = devices.device("b")
        let failure = await #expect(throws: Failure.self) {
            _ = try await second.publish([2], to: ObjectKey("zones/files/log/2/c"))
        }
        #expect(failure?.code == .notAllowed)
        #expect(failure?.remedy.hasSuffix("rclone deletefile 'memory:store/writers/a'") == true)
        // The first one goes on, also in its next run.
        #expect(
            try await devices.device("a").publish([3], to: ObjectKey("zones/files/log/2/c"))
                == .mine)
    }

    @Test func `once its mark is removed, the first device is the one that is refused`()
        async throws
    {
        let devices = try Devices()
        let first = devices.device("a")
        try await first.put([1], to: ObjectKey("packs/0a/1"))
        try await first.delete(ObjectKey("writers/a"))
        let second = devices.device("b")
        #expect(try await second.publish([2], to: ObjectKey(slot)) == .mine)
        let failure = await #expect(throws: Failure.self) {
            _ = try await first.publish([3], to: ObjectKey("zones/files/log/2/c"))
        }
        #expect(failure?.code == .notAllowed)
    }

    @Test func `folders of this machine need no declaration, and get no mark`() async throws {
        let place = try RclonePlace()
        let remote = try place.remote(place.disk)
        #expect(try await remote.publish([1], to: ObjectKey(slot)) == .mine)
        #expect(try await remote.list(prefix: "writers/", after: nil, limit: 9).isEmpty)
    }

    @Test func `the id is that of the machine and the replica, in each run`() {
        let id = RcloneWriters.id(ofStateBeside: "/a/.filesinki/access.toml")
        #expect(id == RcloneWriters.id(ofStateBeside: "/a/.filesinki/access.toml"))
        #expect(id != RcloneWriters.id(ofStateBeside: "/b/.filesinki/access.toml"))
        #expect(id.count == 32)
    }

    @Test func `a replica keeps the declaration for its address`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.path("access.toml")
        let remotes = NetworkRemotes(systemContext: ManualClock().systemContext) { _ in nil }
        try remotes.pin("rclone:x:y", RemoteAccess(pinned: path, isSingleWriter: true))
        let id = RcloneWriters.id(ofStateBeside: path)
        #expect(try PinnedAccess.read(path, for: "rclone:x:y")?.writer == id)
        try remotes.pin("rclone:x:y", RemoteAccess(pinned: path))
        #expect(try PinnedAccess.read(path, for: "rclone:x:y")?.writer == id)
        try remotes.pin("rclone:x:z", RemoteAccess(pinned: path))
        #expect(try PinnedAccess.read(path, for: "rclone:x:z") == nil)
    }
}
