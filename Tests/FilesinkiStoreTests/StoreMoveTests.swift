import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiStore

/// The note that a store was moved.
@Suite("Notes of moved stores")
struct StoreMoveTests {
    private let move = StoreMove(
        store: StoreFixture.id, address: "webdavs://host/my store", device: "laptop")

    @Test("it is read as it was written, by devices of that store only")
    func roundTrip() {
        #expect(StoreMove(move.bytes, of: move.store) == move)
        #expect(StoreMove(move.bytes, of: Array(repeating: 1, count: 16)) == nil)
    }

    @Test("it names what opens the copy, if that is known; a word of a later version is none")
    func secret() throws {
        #expect(move.secret == nil)
        for secret in [StoreMove.Secret.passphrase, .keyFile] {
            let note = StoreMove(
                store: move.store, address: "other", device: "laptop", secret: secret)
            let read = try #require(StoreMove(note.bytes, of: move.store))
            #expect(read == note && read.secret == secret)
        }
        for word in Self.otherWords {
            let read = try #require(StoreMove(note(["secret": word]), of: move.store))
            #expect(read.address == "other" && read.secret == nil, "\(word)")
        }
        let unknown = try #require(
            StoreMove(note(["secret": "key-file", "opens": "a card"]), of: move.store))
        #expect(unknown.secret == .keyFile)
    }

    /// What a store may have in that line, and no message may say.
    private static let otherWords = [
        "", " ", "card", "Passphrase", "passphrase ", "passphrase --accept", "key-file; rm -r x",
        "passphrase\u{202e}", "\u{1b}[2Jpassphrase", "keyFile", String(repeating: "p", count: 8000),
    ]

    /// A note with more lines than those of the first version.
    private func note(_ more: KeyValuePairs<String, String>) -> [UInt8] {
        var lines: [(key: String, value: String)] = [
            ("store", hexadecimal(move.store)), ("address", "other"), ("device", "laptop"),
        ]
        lines.append(contentsOf: more)
        return ChecksummedText.encode(title: "filesinki store moved", lines)
    }

    @Test("a note that says twice what opens the copy is no note")
    func twice() {
        for words in [["passphrase", "passphrase"], ["passphrase", "key-file"]] {
            let bytes = note(["secret": words[0], "secret": words[1]])
            #expect(StoreMove(bytes, of: move.store) == nil)
        }
    }

    @Test("a note of any changed bit, or of any part, is no note")
    func mutated() {
        for bytes in [move.bytes, note(["secret": "passphrase"])] {
            for bit in 0..<(bytes.count * 8) {
                var damaged = bytes
                damaged[bit / 8] ^= 1 << (bit % 8)
                #expect(StoreMove(damaged, of: move.store) == nil, "bit \(bit)")
            }
            for length in bytes.indices {
                #expect(StoreMove(Array(bytes.prefix(length)), of: move.store) == nil)
            }
        }
        let nowhere = StoreMove(store: move.store, address: "", device: "laptop")
        #expect(StoreMove(nowhere.bytes, of: move.store) == nil)
    }

    @Test("the first one stays, and what is no note gives way")
    func left() async throws {
        let (remote, slot) = (MemoryRemote(), try ObjectKey("moved/c"))
        try await remote.put(Array(repeating: 0, count: 20_000), to: slot)
        #expect(try await StoreMove.read(at: remote, of: move.store) == nil)
        for _ in 1...2 { #expect(try await move.leave(at: remote) == move) }
        let second = StoreMove(store: move.store, address: "s3://bucket", device: "desktop")
        #expect(try await second.leave(at: remote) == move)
        #expect(try await StoreMove.read(at: remote, of: move.store) == move)
        let counting = CountingRemote(remote)
        for _ in 1...2 { try await StoreMove.remove(at: counting) }
        #expect(try await StoreMove.read(at: remote, of: move.store) == nil)
        #expect(counting.counts.deletions == 1)
    }
}
