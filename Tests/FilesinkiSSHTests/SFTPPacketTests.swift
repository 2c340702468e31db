import FilesinkiTesting
import Testing

@testable import FilesinkiSSH

@Suite struct SFTPPacketTests {
    static let requests: [(SFTPRequest, String)] = [
        (.initialize, "00000005 01 00000003"),
        (.openForReading([0x61]), "00000012 03 00000007 00000001 61 00000001 00000000"),
        (.create([0x61]), "00000012 03 00000007 00000001 61 0000002a 00000000"),
        (.close(handle: [1, 2]), "0000000b 04 00000007 00000002 0102"),
        (
            .read(handle: [1], offset: 1 << 32, count: 9),
            "00000016 05 00000007 00000001 01 0000000100000000 00000009"
        ),
        (
            .write(handle: [1], offset: 2, bytes: [8, 9][...]),
            "00000018 06 00000007 00000001 01 0000000000000002 00000002 0809"
        ),
        (.attributes([0x61]), "0000000a 07 00000007 00000001 61"),
        (.attributesOfHandle([1]), "0000000a 08 00000007 00000001 01"),
        (.openFolder([]), "00000009 0b 00000007 00000000"),
        (.readFolder(handle: [1]), "0000000a 0c 00000007 00000001 01"),
        (.remove([0xFF]), "0000000a 0d 00000007 00000001 ff"),
        (.makeFolder([0x61]), "0000000e 0e 00000007 00000001 61 00000000"),
        (.removeFolder([0x61]), "0000000a 0f 00000007 00000001 61"),
        (.attributesFollowing([0x61]), "0000000a 11 00000007 00000001 61"),
        (
            .rename([0x61], to: [0x62]),
            "0000002b c8 00000007 00000018 706f7369782d72656e616d65406f70656e7373682e636f6d "
                + "00000001 61 00000001 62"
        ),
        (
            .sync(handle: [1]),
            "0000001f c8 00000007 00000011 6673796e63406f70656e7373682e636f6d 00000001 01"
        ),
    ]

    @Test("a request is these bytes", arguments: requests)
    func request(_ request: SFTPRequest, _ text: String) {
        #expect(request.encoded(id: 7) == bytes(text))
    }

    static let replies: [(String, SFTPReply?)] = [
        ("02 00000003", .version(3, extensions: [:])),
        ("02 00000003 00000001 61 00000001 31", .version(3, extensions: ["a": [0x31]])),
        ("02 00000003 00000001 61", nil),
        ("65 00000007 00000002", .status(SFTPStatus(code: 2, message: ""))),
        ("65 00000007 00000004 00000001 6e 00000000", .status(SFTPStatus(code: 4, message: "n"))),
        ("65 00000007 0000", nil), ("65 0000", nil), ("", nil),
        ("66 00000007 00000002 0102", .handle([1, 2])), ("66 00000007 00000003 0102", nil),
        ("66 00000007 ffffffff 0102", nil),
        ("67 00000007 00000001 05", .data([5])), ("67 00000007 00000000", .data([])),
        ("68 00000007 00000000", .names([])),
        (
            "68 00000007 00000001 00000001 61 00000000 00000004 000041ed",
            .names([SFTPName(name: [0x61], attributes: SFTPAttributes(mode: 0o40755))])
        ),
        ("68 00000007 00000002 00000001 61 00000000 00000000", nil),
        ("68 00000007 ffffffff", nil),
        ("69 00000007 00000000", .attributes(SFTPAttributes())),
        (
            "69 00000007 0000000f 0000000000000009 00000001 00000002 000081a4 00000003 00000004",
            .attributes(SFTPAttributes(size: 9, mode: 0o100644, modified: 4))
        ),
        (
            "69 00000007 80000001 0000000000000009 00000001 00000001 61 00000001 62",
            .attributes(SFTPAttributes(size: 9))
        ),
        ("69 00000007 80000000 ffffffff", nil), ("69 00000007 00000001 00000000", nil),
        ("c9 00000007 0102", .extended([1, 2])), ("63 00000007 00000000", nil),
    ]

    @Test("bytes are this reply, or none", arguments: replies)
    func reply(_ text: String, _ reply: SFTPReply?) {
        let found = SFTPReply.decode(bytes(text))
        #expect(found?.reply == reply)
        if case .version = reply { return }
        #expect(found.map(\.id) == reply.map { _ in 7 })
    }

    /// Bytes of the host may be anything: none ends the process, and a reply has all bytes that its packet says.
    @Test func `mutated replies are decoded or refused`() {
        let counts = Fuzz(Self.replies.map { bytes($0.0) }, count: 5_000).run { packet in
            guard let found = SFTPReply.decode(packet) else { return false }
            #expect(packet.dropFirst(5).starts(with: found.reply.beginning), "\(packet)")
            return true
        }
        #expect(counts.isMixed, "\(counts)")
    }

    private func bytes(_ text: String) -> [UInt8] {
        let digits = Array(text.filter { $0 != " " })
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
    }
}

extension SFTPReply {
    /// What a packet with the reply has behind its type and number.
    fileprivate var beginning: [UInt8] {
        switch self {
        case .version, .attributes: []
        case .status(let status): Self.bytes(status.code)
        case .handle(let bytes), .data(let bytes): Self.string(bytes)
        case .names(let names):
            Self.bytes(UInt32(names.count)) + (names.first.map { Self.string($0.name) } ?? [])
        case .extended(let bytes): bytes
        }
    }

    private static func string(_ content: [UInt8]) -> [UInt8] {
        bytes(UInt32(content.count)) + content
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
