import FilesinkiModel
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Testing

/// Files that say what failed.
@Suite("Named files")
struct NamedFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func failure(_ body: () throws -> Void) -> Failure? {
        #expect(throws: Failure.self, performing: body)
    }

    private func file(_ bytes: [UInt8], _ flags: Int32 = O_RDWR) throws -> NamedFile {
        try StateFile.replace(folder.path("f"), with: bytes)
        return try NamedFile(folder.path("f"), flags, of: .local)
    }

    @Test(
        "a file that cannot be opened or created says which, and its role decides what it means",
        arguments: [
            (O_RDONLY, FileRole.local, Failure.Code.notFound, "open"),
            (O_RDONLY, .argument, .notFound, "open"), (O_RDONLY, .own, .io, "open"),
            (O_WRONLY | O_CREAT, .own, .io, "create"), (O_WRONLY | O_CREAT, .store, .io, "create"),
        ])
    func opening(_ flags: Int32, _ role: FileRole, _ code: Failure.Code, _ verb: String) {
        let path = folder.path("none/f")
        let opening = failure { _ = try NamedFile(path, flags, of: role) }
        #expect(opening?.code == code)
        #expect(opening?.path == Array(path.utf8))
        #expect(opening?.message == "Cannot \(verb) the file: no such file or directory.")
        #expect(opening?.cause as? SystemError == SystemError(ENOENT))
    }

    @Test func `it knows its path as bytes and as text, and its size as it is now`() throws {
        let bytes = Array(folder.path("").utf8) + [0x66, 0xFF]
        let named = try NamedFile(bytes, O_RDWR | O_CREAT, of: .own)
        #expect(named.path == bytes)
        #expect(named.name == folder.path("f\u{FFFD}"))
        #expect(try named.size == 0)
        try named.write([1, 2, 3])
        #expect(try named.size == 3)
        try named.write([9], at: 10)
        #expect(try named.size == 11)
        #expect(try named.record().st_mode & 0o777 == 0o600)
    }

    @Test func `it is read at a place or where it is, and written there`() throws {
        let named = try file([0, 1, 2, 3, 4, 5])
        #expect(try named.read(upTo: 2) == [0, 1])
        #expect(try named.read(from: 4, count: 9) == [4, 5])
        #expect(try named.read(upTo: 1) == [2])
        try named.write([7])
        try named.write([8], at: 0)
        try named.sync()
        #expect(try StateFile.read(folder.path("f")) == [8, 1, 2, 7, 4, 5])
        #expect(try named.read(from: 6, count: 1) == [])
    }

    @Test func `what it cannot do is said with its path`() throws {
        let reading = try file([1], O_RDONLY)
        let writing = try file([1], O_WRONLY)
        let cases: [(String, NamedFile, Int32, () throws -> Void)] = [
            ("write", reading, EBADF, { try reading.write([1]) }),
            ("write", reading, EBADF, { try reading.write([1], at: 0) }),
            ("write", reading, EBADF, { try [1].withUnsafeBytes { try reading.write($0) } }),
            ("read", writing, EBADF, { _ = try writing.read(upTo: 1) }),
            ("read", writing, EBADF, { _ = try writing.read(from: 0, count: 1) }),
            ("read", writing, EBADF, { try writing.forEachPiece { _ in } }),
            ("read", reading, EINVAL, { _ = try reading.read(from: -1, count: 1) }),
        ]
        for (verb, file, number, body) in cases {
            let failed = failure(body)
            #expect(failed?.code == .io)
            #expect(failed?.path == file.path)
            #expect(failed?.message.hasPrefix("Cannot \(verb) the file: ") == true)
            #expect(failed?.cause as? SystemError == SystemError(number))
        }
    }

    @Test func `a full disk is said as such`() throws {
        let named = try NamedFile("/dev/full", O_WRONLY, of: .own)
        let full = failure { try named.write([1]) }
        #expect(full?.code == .full)
        #expect(full?.path == Array("/dev/full".utf8))
        #expect(full?.message == "Cannot write the file: no space left on device.")
        #expect(full?.remedy == "Free some space and run again.")
    }

    @Test func `it is passed on in pieces of at most 1 MiB, from where it is`() throws {
        let bytes = (0..<((1 << 20) + 3)).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        let named = try file(bytes)
        var pieces: [[UInt8]] = []
        try named.forEachPiece { pieces.append(Array($0)) }
        #expect(pieces.map(\.count) == [1 << 20, 3])
        #expect(pieces.flatMap(\.self) == bytes)
        pieces = []
        try named.forEachPiece { pieces.append(Array($0)) }
        #expect(pieces.isEmpty)
    }

    private struct Stop: Error {}

    @Test func `an error of who receives the pieces ends the reading, as it is`() throws {
        let named = try file([UInt8](repeating: 1, count: (1 << 20) + 1))
        var count = 0
        #expect(throws: Stop.self) {
            try named.forEachPiece { _ in
                count += 1
                throw Stop()
            }
        }
        #expect(count == 1)
    }

    @Test(
        "a copy has all bytes, wherever the file is read at the moment",
        arguments: [0, 1, 1 << 20, (1 << 20) + 1])
    func copies(_ count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        let named = try file(bytes)
        _ = try named.read(upTo: count / 2)
        try named.copy(to: folder.path("copy"))
        #expect(try StateFile.read(folder.path("copy")) == bytes)
    }

    @Test func `a copy replaces no file`() throws {
        let named = try file([1])
        try StateFile.replace(folder.path("copy"), with: [2])
        let copying = failure { try named.copy(to: folder.path("copy")) }
        #expect(copying?.path == Array(folder.path("copy").utf8))
        #expect(copying?.message == "Cannot create the file: file exists.")
        #expect(try StateFile.read(folder.path("copy")) == [2])
    }
}

extension NamedFile {
    fileprivate func record() throws -> stat { try handle.record() }
}
