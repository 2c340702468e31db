import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiStore

@Suite("The store's description")
struct StoreFormatTests {
    private let systemContext = SystemContext(
        now: { Timestamp(nanoseconds: 0) },
        randomBytes: { Array(repeating: 0xAB, count: $0) },
        sleep: { _ in })

    private func lines(_ lines: [String]) -> [UInt8] {
        let body = Array((lines.joined(separator: "\n") + "\n").utf8)
        return body + Array("sha256 = \(ContentHasher.hash(body))\n".utf8)
    }

    private static let good = [
        "filesinki store", "format = 1", "id = 000102030405060708090a0b0c0d0e0f", "epoch = 0",
        "slots = rename-folder", "created-by = filesinki 1",
    ]

    @Test("it is nil where there is no store")
    func absent() async throws {
        #expect(try await StoreFormat.read(from: MemoryRemote()) == nil)
    }

    @Test("it is created once, and found from then on")
    func create() async throws {
        let remote = MemoryRemote()
        let made = try await StoreFormat.create(at: remote, systemContext: systemContext)
        #expect(made.id == Array(repeating: 0xAB, count: 16))
        #expect(made.formatVersion == 1)
        #expect(try await StoreFormat.read(from: remote) == made)
        let other = SystemContext(
            now: systemContext.now, randomBytes: { Array(repeating: 1, count: $0) },
            sleep: systemContext.sleep)
        #expect(try await StoreFormat.create(at: remote, systemContext: other) == made)
    }

    @Test("it is the same for all that create it at once")
    func race() async throws {
        let remote = MemoryRemote()
        let formats = try await withThrowingTaskGroup(of: StoreFormat.self) { group in
            for writer in UInt8(1)...16 {
                let own = SystemContext(
                    now: systemContext.now, randomBytes: { Array(repeating: writer, count: $0) },
                    sleep: systemContext.sleep)
                group.addTask { try await StoreFormat.create(at: remote, systemContext: own) }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(formats.count == 1)
    }

    @Test("it is readable text")
    func text() {
        let format = StoreFormat(
            formatVersion: 1, id: StoreFixture.id, epoch: 0, slots: "rename-folder")
        #expect(StoreFormatText.encode(format, createdBy: "filesinki 1") == lines(Self.good))
    }

    @Test("each value has one line")
    func oneLine() throws {
        let format = StoreFormat(formatVersion: 1, id: StoreFixture.id, epoch: 7, slots: "a\nb = c")
        let read = try StoreFormatText.decode(StoreFormatText.encode(format, createdBy: "x\ny"))
        #expect(read.slots == "ab = c")
        #expect(read.epoch == 7)
    }

    @Test("an encrypted store has format 2, names its key, and no other")
    func encrypted() throws {
        let key = String(repeating: "0f", count: 16)
        let format = StoreFormat(
            formatVersion: 2, id: StoreFixture.id, epoch: 0, slots: "", keyFingerprint: key)
        let text = String(decoding: StoreFormatText.encode(format, createdBy: "x"), as: UTF8.self)
        let values = text.split(separator: "\n").dropLast().map(String.init)
        #expect(try StoreFormatText.decode(lines(values)) == format)
        for (old, new, code) in [
            ("format = 2", "format = 1", Failure.Code.corrupt),
            ("encryption = aes-256-gcm", "encryption = rot13", .newerFormat),
            ("key = \(key)", "key = 0f", .corrupt), ("encryption = aes-256-gcm", "x = y", .corrupt),
        ] {
            let changed = values.map { $0 == old ? new : $0 }
            let failure = #expect(throws: Failure.self, "\(new)") {
                try StoreFormatText.decode(lines(changed))
            }
            #expect(failure?.code == code, "\(new)")
        }
    }

    @Test("a newer format is reported as such, whatever else it contains")
    func newer() {
        let failure = #expect(throws: Failure.self) {
            try StoreFormatText.decode(lines(["filesinki store", "format = 3", "all = new"]))
        }
        #expect(failure?.code == .newerFormat)
        #expect(failure?.remedy == "Update filesinki.")
    }

    @Test("unknown lines are ignored")
    func unknownKey() throws {
        let format = try StoreFormatText.decode(lines(Self.good + ["colour = green"]))
        #expect(format.id == StoreFixture.id)
    }

    @Test("a description has 64 KiB at most", arguments: [65_536, 65_537])
    func length(_ length: Int) {
        // The checksum has a line of 74 bytes, the padding's key 4.
        let used = Self.good.reduce(0) { $0 + $1.utf8.count + 1 } + 74
        let padding = "a = " + String(repeating: "x", count: length - used - 5)
        let text = lines(Self.good + [padding])
        #expect(text.count == length)
        #expect(((try? StoreFormatText.decode(text)) != nil) == (length == 65_536))
    }

    @Test("any single flipped bit is refused")
    func flippedBits() {
        let good = lines(Self.good)
        for bit in 0..<(good.count * 8) {
            var damaged = good
            damaged[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: Failure.self, "bit \(bit)") { try StoreFormatText.decode(damaged) }
        }
    }

    @Test(
        "other text is refused",
        arguments: [
            [], ["hello"], ["filesinki store"], ["filesinki store", "format = 0"],
            ["filesinki store", "format = x"], ["filesinki store", "format = 1"],
            ["filesinki store", "format = 1", "id = 00", "epoch = 0"],
            ["filesinki store", "format = 1", "id = 000102030405060708090a0b0c0d0e0f"],
            ["filesinki store", "format=1"], good + ["epoch = 1"],
            ["filesinki store", "format = 0"] + good[2...],
            ["filesinki store", "format = -1"] + good[2...],
        ])
    func damaged(text: [String]) {
        let failure = #expect(throws: Failure.self) { try StoreFormatText.decode(lines(text)) }
        #expect(failure?.code == .corrupt)
        #expect(throws: Failure.self) { try StoreFormatText.decode([]) }
    }
}
