import FilesinkiModel
import Glibc
import Testing

@testable import FilesinkiFileSystem

/// Which bytes of a file are not written, because they are zeros.
@Suite struct HolesTests {
    /// Zeros, with other bytes at some places.
    private func runs(_ count: Int, at offset: Int64, but others: [Int]) -> [Range<Int>] {
        var bytes = [UInt8](repeating: 0, count: count)
        for other in others { bytes[other] = 1 }
        return bytes.withUnsafeBytes { Holes.runs(in: $0, at: offset) }
    }

    private static let holes: [(Int, Int64, [Int], [Range<Int>])] = [
        (65_536, 0, [], [0..<65_536]), (65_535, 0, [], []), (69_631, 0, [], [0..<65_536]),
        (69_632, 0, [], [0..<69_632]),
        // Aligned to the blocks of the file.
        (70_000, 1, [], [4_095..<69_631]), (65_537, 4_095, [], [1..<65_537]),
        (65_536, 4_096, [], [0..<65_536]),
        // One byte is enough to write its block.
        (65_536, 0, [0], []), (65_536, 0, [65_535], []), (69_632, 0, [4_095], [4_096..<69_632]),
        (69_632, 0, [65_536], [0..<65_536]),
        (200_000, 0, [100_000], [0..<98_304, 102_400..<196_608]),
        (135_168, 0, [65_536], [0..<65_536, 69_632..<135_168]),
    ]

    @Test("a hole is a run of at least 64 KiB, in blocks of 4 KiB", arguments: holes)
    func table(_ count: Int, _ offset: Int64, _ others: [Int], _ expected: [Range<Int>]) {
        #expect(runs(count, at: offset, but: others) == expected)
    }

    @Test func `a file of zeros takes no space`() throws {
        let tree = try TemporaryTree()
        let file = try tree.staged(String(repeating: "\0", count: 1 << 20))
        let path = "\(tree.base)/staging/\(String(decoding: file.name, as: UTF8.self))"
        var record = stat()
        #expect(lstat(path, &record) == 0)
        #expect(record.st_size == 1 << 20)
        #expect(record.st_blocks == 0)
    }

    @Test func `the first 16 bytes of an adopted file are known`() throws {
        let tree = try TemporaryTree()
        try tree.write("0123456789abcdefghij", to: "a")
        let file = try tree.staging.adopt(tree.absolute("a"))
        #expect(file.header == Array("0123456789abcdef".utf8))
    }

    @Test("the first 16 bytes are known, in whatever pieces they come", arguments: [1, 7, 16, 20])
    func header(_ length: Int) throws {
        let tree = try TemporaryTree()
        let file = try tree.staging.makeFile()
        let content = (1...40).map { UInt8($0) }
        for start in stride(from: 0, to: content.count, by: length) {
            let piece = content[start..<min(start + length, content.count)]
            var failed: Failure?
            Array(piece).withUnsafeBytes { bytes in
                do throws(Failure) { try file.write(bytes) } catch { failed = error }
            }
            if let failed { throw failed }
        }
        #expect(file.header == (1...16).map { UInt8($0) })
    }
}
