import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

/// What every remote does in the same way.
@Suite struct RemoteDefaultsTests {
    @Test func `an outcome is ours where the slot has our bytes`() {
        #expect(PublishOutcome(stored: [1, 2], own: [1, 2]) == .mine)
        #expect(PublishOutcome(stored: [1], own: [1, 2]) == .theirs([1]))
        #expect(PublishOutcome(stored: [], own: []) == .mine)
    }

    @Test func `a search finds the first key behind one, with the prefix`() async throws {
        let remote = MemoryRemote()
        for key in ["log/1/c", "log/2/c", "packs/1"] {
            try await remote.put([1], to: ObjectKey(key))
        }
        func find(_ prefix: String, _ after: String) async throws -> String? {
            try await remote.find(KeySearch(prefix: prefix, after: try ObjectKey(after)))?
                .description
        }
        #expect(try await find("log/", "log/1/c") == "log/2/c")
        #expect(try await find("log/", "log/0/c") == "log/1/c")
        #expect(try await find("log/", "log/2/c") == nil)
        #expect(try await find("packs/", "log/2/c") == "packs/1")
        let (outcome, found) = try await remote.publish(
            [7], to: try ObjectKey("log/3/c"),
            thenFind: KeySearch(prefix: "log/", after: try ObjectKey("log/2/c")))
        #expect(outcome == .mine)
        #expect(found?.description == "log/3/c")
    }

    @Test func `what a cursor saw last is kept for each prefix, of 64 of them`() {
        let cursor = PollCursor<Int>()
        #expect(cursor["a"] == nil)
        #expect(cursor.advance("a", to: 1) == nil)
        #expect(cursor.advance("a", to: 2) == 1)
        #expect(cursor["a"] == 2 && cursor["b"] == nil)
        for number in 1..<64 { cursor.advance("\(number)", to: number) }
        #expect(cursor["a"] == 2 && cursor["63"] == 63)
        // A known one makes none forgotten, one more makes all.
        #expect(cursor.advance("a", to: 3) == 2)
        #expect(cursor["63"] == 63)
        #expect(cursor.advance("x", to: 1) == nil)
        #expect(cursor["a"] == nil && cursor["x"] == 1)
    }

    @Test(
        "a fingerprint is 64 digits, with or without colons",
        arguments: [
            (String(repeating: "ab", count: 32), true), (String(repeating: "AB:", count: 32), true),
            (String(repeating: "ab", count: 31), false),
            (String(repeating: "ab", count: 33), false),
            (String(repeating: "ag", count: 32), false), ("", false),
        ])
    func fingerprints(_ text: String, _ isOne: Bool) {
        let found = try? CertificateFingerprint(parsing: text)
        #expect(found?.description == (isOne ? String(repeating: "ab", count: 32) : nil))
        #expect(
            (found == CertificateFingerprint(hash: [UInt8](repeating: 0xAB, count: 32))) == isOne)
    }

    @Test(
        "the longest key has 512 bytes", arguments: [(512, true), (513, false)])
    func keyLength(_ length: Int, _ isKey: Bool) {
        #expect(((try? ObjectKey(String(repeating: "a", count: length))) != nil) == isKey)
    }

    @Test func `keys are ordered by their bytes`() throws {
        let keys = try ["a", "a-", "a.b", "a/b", "a0", "a_", "b"].map { try ObjectKey($0) }
        #expect(keys.reversed().sorted() == keys)
        #expect(!(keys[0] < keys[0]))
    }
}
