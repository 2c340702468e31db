import FilesinkiModel
import FilesinkiRemote
import FilesinkiSSH
import FilesinkiTesting
import Foundation
import Glibc
import Testing

/// What killed writers left in a store at a host.
@Suite(.enabled(if: SFTPHost.program != nil, "openssh-sftp-server is not installed"))
struct SFTPSweepTests {
    private static let folders = ["", "packs/00/", "packs/01/", "zones/files/log/"]
    private static let unfinished = [
        ".t-0123456789abcdef/c", "packs/00/.t-0123456789abcdef",
        "zones/files/log/.t-0123456789abcdef/c",
    ]
    private static let others = [
        "packs/00/.t-foreign", "packs/00/a", "zones/files/log/1/c",
    ]

    /// A store with unfinished and other objects, all of which were written `age` seconds ago.
    private func host(age: Int) throws -> SFTPHost {
        let host = try SFTPHost()
        let modified = Date(timeIntervalSinceNow: -Double(age))
        for name in Self.unfinished + Self.others {
            let path = host.path + "/" + name
            let folder = (path as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            try Data([1]).write(to: URL(filePath: path))
            for changed in [path, folder] {
                try FileManager.default.setAttributes(
                    [.modificationDate: modified], ofItemAtPath: changed)
            }
        }
        return host
    }

    private func files(_ host: SFTPHost) -> [String] {
        let names = FileManager.default.enumerator(atPath: host.path)?.compactMap { $0 as? String }
        return (names ?? []).filter { name in
            let attributes = try? FileManager.default.attributesOfItem(
                atPath: host.path + "/" + name)
            let isFolder = attributes?[.type] as? FileAttributeType == .typeDirectory
            return !isFolder || name.contains(".t-0")
        }.sorted()
    }

    @Test func `what is old and unfinished is removed, and nothing else`() async throws {
        let host = try host(age: 90_000)
        let before = files(host)
        let remote = host.connect()
        let day = Duration.seconds(86_400)
        #expect(try await remote.sweep(Self.folders, olderThan: day, isDryRun: true) == 3)
        #expect(files(host) == before)
        #expect(try await remote.sweep(Self.folders, olderThan: day) == 3)
        #expect(files(host) == Self.others)
    }

    @Test func `what may be in use stays`() async throws {
        let host = try host(age: 86_000)
        let before = files(host)
        #expect(try await host.connect().sweep(Self.folders, olderThan: .seconds(86_400)) == 0)
        #expect(files(host) == before)
    }

    @Test func `a sweep names a read-only disk, and no name of its own`() async throws {
        let folder = try TemporaryFolder()
        guard let disk = MemoryDisk(at: folder.path("disk")) else { return }
        let host = try SFTPHost()
        try disk.makeReadOnly()
        try await disk.shown(at: host.path) {
            let failure = await #expect(throws: Failure.self) {
                try await host.connect().sweep(["packs/"], olderThan: .seconds(86_400))
            }
            #expect(failure?.code == .notAllowed && failure?.path == [])
            #expect(failure?.message.contains("read-only file system") == true)
        }
    }

    @Test func `a slot whose staged folder was emptied can be filled`() async throws {
        let host = try host(age: 90_000)
        let place = host.path + "/zones/files/log/2"
        #expect(mkdir(place, 0o755) == 0)
        let remote = host.connect()
        #expect(try await remote.publish([7], to: key("zones/files/log/2/c")) == .mine)
        #expect(try await remote.get(key("zones/files/log/2/c"), range: nil) == [7])
    }
}
