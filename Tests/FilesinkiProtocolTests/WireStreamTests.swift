import FilesinkiModel
import FilesinkiProtocol
import Testing

/// What is read in pieces, wherever they are cut.
@Suite struct WireStreamTests {
    let frames: [WireFrame] = [
        .bytes([1, 2, 3]), .absent, .bytes([]), .same, .bytes(Array(0...255)), .askAgain,
    ]

    private func read(_ bytes: [UInt8], pieces: Int) throws -> [WireFrame] {
        var reader = WireFrameReader(limit: 1000)
        var result: [WireFrame] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            reader.add(bytes[start..<min(start + pieces, bytes.count)])
            while let frame = try reader.next() { result.append(frame) }
        }
        try reader.checkComplete()
        return result
    }

    @Test(arguments: [1, 2, 7, 9, 10, 1000])
    func `frames are read in pieces of any size`(pieces: Int) throws {
        #expect(try read(frames.flatMap(\.encoded), pieces: pieces) == frames)
    }

    @Test func `a frame is a mark, a length and its bytes`() {
        #expect(WireFrame.bytes([7, 8]).encoded == [1, 0, 0, 0, 0, 0, 0, 0, 2, 7, 8])
        #expect(WireFrame.head(ofBytes: 0x0102_0304) == [1, 0, 0, 0, 0, 1, 2, 3, 4])
        #expect(WireFrame.absent.encoded + WireFrame.same.encoded == [0, 2])
    }

    @Test func `a truncated frame, an unknown mark and a length beyond the limit are refused`()
        throws
    {
        let whole = WireFrame.bytes([1, 2, 3]).encoded
        for count in 1..<whole.count {
            let error = #expect(throws: Failure.self) {
                try read(Array(whole.prefix(count)), pieces: 5)
            }
            #expect(error?.code == .away)
        }
        let lies: [[UInt8]] = [[4], [1] + [UInt8](repeating: 255, count: 8)]
        for lie in lies + [WireFrame.head(ofBytes: 1001)] {
            let error = #expect(throws: Failure.self) { try read(lie, pieces: 3) }
            #expect(error?.code == .corrupt)
        }
    }

    @Test func `the limit applies to all frames together`() {
        let bytes = WireFrame.bytes([UInt8](repeating: 0, count: 600)).encoded
        #expect(throws: Failure.self) { try read(bytes + bytes, pieces: 100) }
    }

    @Test(arguments: [1, 3, 1000])
    func `notices are read in pieces of any size`(pieces: Int) throws {
        let notices: [ChangeNotice] = [
            .hello, .change(["zones/main/log/1/c", "zones/", ""]), .heartbeat, .change(["a"]),
        ]
        let text = Array((": strange\r\nevent: other\ndata: x\n\n").utf8)
        let bytes = notices.flatMap { Array($0.encoded.utf8) } + text
        var reader = ChangeNoticeReader()
        var result: [ChangeNotice] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            result += try reader.add(bytes[start..<min(start + pieces, bytes.count)])
        }
        #expect(result == notices + [.heartbeat])
    }

    @Test func `an endless event is refused`() {
        var reader = ChangeNoticeReader()
        #expect(throws: Failure.self) {
            for _ in 0..<100_000 { _ = try reader.add(Array("data: x\n".utf8)) }
        }
    }
}
