import CKernel
import FilesinkiModel
import FilesinkiSystem
import Glibc
import Testing

@testable import FilesinkiFileSystem

/// What a file has beside content, mode and time, when its content is replaced; and holes.
@Suite struct KeepingTests {
    @Test(
        "E2.5 a replaced file keeps its extended attributes and its ACL",
        arguments: [NameAbility.all, .noFlags])
    func attributes(_ ability: NameAbility) throws {
        let tree = try TemporaryTree(calls: ability.calls)
        try tree.write("old", to: "a", mode: 0o640)
        let path = tree.absolute("a")
        let color = Array("blue".utf8)
        guard fsk_set_attribute(path, "user.color", color, color.count) == 0 else {
            print("left out: this file system keeps no extended attributes")
            return
        }
        let hasList = fsk_set_attribute(path, Self.list, Self.readableForOne, 44) == 0
        if !hasList { print("left out: this file system keeps no ACL") }
        let outcome = try tree.writer.install(
            tree.staged("new", mode: 0o640), at: RelativePath("a"),
            expecting: .stamp(tree.stamp("a")))
        guard case .done(let status) = outcome else { throw SystemError(EEXIST) }
        #expect(try tree.read("a") == "new")
        #expect(status.mode == 0o640)
        #expect(Self.attribute("user.color", of: path) == color)
        if hasList { #expect(Self.attribute(Self.list, of: path) == Self.readableForOne) }
    }

    @Test("E2.5 a new mode is the mask of the ACL that is kept")
    func mask() throws {
        let tree = try TemporaryTree()
        try tree.write("old", to: "a", mode: 0o640)
        guard fsk_set_attribute(tree.absolute("a"), Self.list, Self.readableForOne, 44) == 0 else {
            print("left out: this file system keeps no ACL")
            return
        }
        let outcome = try tree.writer.install(
            tree.staged("new", mode: 0o600), at: RelativePath("a"),
            expecting: .stamp(tree.stamp("a")))
        guard case .done(let status) = outcome else { throw SystemError(EEXIST) }
        #expect(status.mode == 0o600)
        var expected = Self.readableForOne
        expected[30] = 0
        #expect(Self.attribute(Self.list, of: tree.absolute("a")) == expected)
    }

    @Test("E2.5 a replaced file keeps owner and group", arguments: [NameAbility.all, .noFlags])
    func owner(_ ability: NameAbility) throws {
        guard geteuid() == 0 else {
            print("left out: only root gives files away")
            return
        }
        let tree = try TemporaryTree(calls: ability.calls)
        try tree.write("old", to: "a")
        #expect(chown(tree.absolute("a"), 1234, 2345) == 0)
        let outcome = try tree.writer.install(
            tree.staged("new"), at: RelativePath("a"), expecting: .stamp(tree.stamp("a")))
        #expect(outcome != .surprised)
        var record = stat()
        #expect(lstat(tree.absolute("a"), &record) == 0)
        #expect(record.st_uid == 1234 && record.st_gid == 2345)
        #expect(try tree.read("a") == "new")
    }

    @Test("E2.5 attributes that certify the old content are not kept")
    func capability() throws {
        let tree = try TemporaryTree()
        try tree.write("old", to: "a", mode: 0o755)
        // Version 2 of a capability set: CAP_NET_RAW, effective.
        let capability: [UInt8] = [
            1, 0, 0, 2, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ]
        guard fsk_set_attribute(tree.absolute("a"), "security.capability", capability, 20) == 0
        else {
            print("left out: only root gives capabilities")
            return
        }
        let outcome = try tree.writer.install(
            tree.staged("new"), at: RelativePath("a"), expecting: .stamp(tree.stamp("a")))
        #expect(outcome != .surprised)
        #expect(Self.attribute("security.capability", of: tree.absolute("a")).isEmpty)
    }

    @Test(
        "E2.5 long runs of zeros become holes, and the content is the same",
        arguments: [1, 4_096, 100_000, 1 << 20])
    func holes(_ piece: Int) throws {
        let tree = try TemporaryTree()
        let data = [UInt8](repeating: 7, count: 5_000)
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        for content in [data + zeros + data + zeros, zeros, zeros + data, data] {
            let file = try tree.staging.makeFile()
            let size = piece == 1 ? content.count : piece
            for start in stride(from: 0, to: content.count, by: size) {
                let part = Array(content[start..<min(start + size, content.count)])
                var failed: Failure?
                part.withUnsafeBytes { bytes in
                    do throws(Failure) { try file.write(bytes) } catch { failed = error }
                }
                if let failed { throw failed }
            }
            try file.finish(mode: 0o644, modified: Timestamp(nanoseconds: 1), sync: true)
            let path = try RelativePath("f")
            #expect(try tree.writer.install(file, at: path, expecting: .any) != .surprised)
            let found = try tree.root.readWhole(path, limit: 1 << 24).bytes
            #expect(found == content)
            var record = stat()
            #expect(lstat(tree.absolute("f"), &record) == 0)
            // Whole pieces below the least hole are written.
            if size >= 100_000 { #expect(record.st_blocks * 512 < 300_000) }
        }
    }

    private static let list = "system.posix_acl_access"

    /// The owner reads and writes, user 1234 and the group read, others nothing.
    private static let readableForOne: [UInt8] =
        [2, 0, 0, 0] + entry(1, 6) + entry(2, 4, 1234) + entry(4, 4) + entry(16, 4) + entry(32, 0)

    private static func entry(_ tag: UInt8, _ rights: UInt8, _ user: UInt32 = .max) -> [UInt8] {
        [tag, 0, rights, 0] + (0..<4).map { UInt8(truncatingIfNeeded: user >> ($0 * 8)) }
    }

    private static func attribute(_ name: String, of path: String) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 256) { buffer, filled in
            filled = max(0, fsk_get_attribute(path, name, buffer.baseAddress, 256))
        }
    }
}
