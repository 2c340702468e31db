import FilesinkiModel
import FilesinkiProtocol
import FilesinkiTesting
import Testing

@Suite struct StreamFrameTests {
    static let frames: [(StreamFrame, String)] = [
        (StreamFrame(.head, 1, [0x31, 0x0A]), "01 00000001 00000002 310a"),
        (StreamFrame(.body, 0x0102_0304, [0xFF]), "02 01020304 00000001 ff"),
        (StreamFrame(.end, .max), "03 ffffffff 00000000"),
        (.credit(0x10000, 7), "04 00000007 00000004 00010000"),
        (StreamFrame(.cut, 7), "05 00000007 00000000"),
    ]

    @Test("a frame is these bytes, and these bytes are the frame", arguments: frames)
    func frame(_ frame: StreamFrame, _ text: String) throws {
        #expect(frame.encoded == bytes(text))
        var reader = StreamFrameReader()
        // Byte by byte, and with the next frame behind it.
        for byte in bytes(text).dropLast() {
            reader.add([byte])
            #expect(try reader.next() == nil)
        }
        reader.add([try #require(bytes(text).last)] + bytes(text))
        #expect(try reader.next() == frame)
        #expect(try reader.next() == frame)
        #expect(try reader.next() == nil)
    }

    @Test(
        "bytes that are no frame are refused before their payload arrives",
        arguments: [
            "00 00000001 00000001", "06 00000001 00000001", "ff 00000001 00000000",
            "01 00000001 00000000", "01 00000001 00004001", "02 00000001 00000000",
            "02 00000001 00010001", "02 00000001 ffffffff", "03 00000001 00000001",
            "04 00000001 00000003", "04 00000001 00000005", "05 00000001 00000001",
        ])
    func refused(_ text: String) {
        var reader = StreamFrameReader()
        reader.add(bytes(text))
        let failure = #expect(throws: Failure.self) { try reader.next() }
        #expect(failure?.code == .corrupt)
    }

    @Test func `only a frame of credit has a number`() {
        #expect(StreamFrame.credit(.max, 1).creditCount == Int(UInt32.max))
        #expect(StreamFrame(.body, 1, [0, 0, 0, 1]).creditCount == nil)
    }

    /// Bytes of the other end may be anything: none ends the process, and what is read is what was sent.
    @Test func `mutated frames are read or refused`() {
        let frames = Self.frames.map { bytes($0.1) }
        let corpus = frames.flatMap { first in frames.map { first + $0 } }
        let counts = Fuzz(corpus, count: 5_000).run { stream in
            var reader = StreamFrameReader()
            reader.add(stream)
            var read: [UInt8] = []
            defer { #expect(stream.starts(with: read), "\(stream)") }
            do {
                while let frame = try reader.next() { read += frame.encoded }
                return true
            } catch {
                return false
            }
        }
        #expect(counts.isMixed, "\(counts)")
    }

    private func bytes(_ text: String) -> [UInt8] {
        FilesinkiModel.bytes(hexadecimal: text.filter { $0 != " " }) ?? []
    }
}
