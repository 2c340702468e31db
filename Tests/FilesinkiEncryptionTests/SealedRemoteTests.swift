import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiEncryption

/// A sealed remote keeps every guarantee, and shows nothing to what lies beneath.
@Suite struct SealedRemoteTests {
    private let inner = MemoryRemote()
    private let sealed: SealedRemote
    private let systemContext = ManualClock().systemContext

    init() throws {
        sealed = SealedRemote(inner, key: try SealedObjectTests.key(1), systemContext)
    }

    @Test("sealed objects honour the remote contract", arguments: RemoteContract.all)
    func contract(_ contract: RemoteContract) async throws {
        let below = BelowPrefix(wrapped: sealed, prefix: "packs/")
        try await contract.check(below, below)
    }

    @Test("what is stored shows neither contents nor the hash of a part")
    func hidden() async throws {
        let text = Array("a text that must not be seen".utf8)
        let hash = ContentHasher.hash(text).description
        let keys = [
            "packs/00/0011", "zones/files/log/00000000000000000001/c",
            "zones/files/parts/\(hash.prefix(2))/\(hash)", "devices/00/files/1/c",
        ]
        for key in keys {
            let key = try ObjectKey(key)
            if key.isSlot {
                #expect(try await sealed.publish(text, to: key) == .mine)
            } else {
                try await sealed.put(text, to: key)
            }
            #expect(try await sealed.get(key, range: nil) == text)
            #expect(try await sealed.get(key, range: 2..<6) == Array("text".utf8))
        }
        let listed = try await sealed.list(prefix: "", after: nil, limit: 10)
        #expect(Set(listed.map(\.key.description)) == Set(keys))
        #expect(listed.allSatisfy { $0.size == Int64(text.count) })
        for object in try await inner.list(prefix: "", after: nil, limit: 10) {
            let stored = try await inner.get(object.key, range: nil) ?? []
            #expect(!stored.contains(text[5...]), "\(object.key)")
            #expect(!object.key.description.contains(hash))
        }
        try await sealed.delete(ObjectKey(keys[2]))
        #expect(try await sealed.get(ObjectKey(keys[2]), range: nil) == nil)
    }

    @Test("a slot that another writer of the store filled is opened; equal bytes are ours")
    func slots() async throws {
        let other = SealedRemote(
            inner, key: try SealedObjectTests.key(1), ManualClock(seed: 2).systemContext)
        let slot = try ObjectKey("zones/files/log/1/c")
        #expect(try await other.publish([1, 2, 3], to: slot) == .mine)
        #expect(try await sealed.publish([4], to: slot) == .theirs([1, 2, 3]))
        #expect(try await sealed.publish([1, 2, 3], to: slot) == .mine)
    }

    @Test(
        "an object that was changed, exchanged or is plain reads as zeros; others in the request are read"
    )
    func changed() async throws {
        let keys = try ["packs/00/01", "packs/00/02", "packs/00/03"].map {
            key throws(Failure) in try ObjectKey(key)
        }
        for key in keys { try await sealed.put(Array(key.description.utf8), to: key) }
        let second = try await inner.get(keys[1], range: nil) ?? []
        try await inner.put(second, to: keys[0])
        try await inner.put(Array("plain".utf8), to: keys[2])
        let replies = try await sealed.read(keys.map { ObjectRequest($0) })
        let contents = replies.map { reply -> [UInt8] in
            if case .bytes(let bytes) = reply { return bytes }
            return [1]
        }
        #expect(contents[0].allSatisfy { $0 == 0 } && !contents[0].isEmpty)
        #expect(contents[1] == Array("packs/00/02".utf8))
        #expect(contents[2].allSatisfy { $0 == 0 } && !contents[2].isEmpty)
    }

    @Test("the description and keys are plain")
    func plain() async throws {
        for key in ["filesinki/c", "keys/0011", "probe/x/1/c"] {
            #expect(try await sealed.publish([1, 2], to: ObjectKey(key)) == .mine)
            #expect(try await inner.get(ObjectKey(key), range: nil) == [1, 2])
        }
    }

    @Test("without its key a replica of an encrypted store does not write plain objects")
    func lostKey() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("key")
        #expect(throws: Failure.self) {
            try StoreKey.seal(inner, fingerprint: "00", keyIn: path, systemContext)
        }
        let plain = try StoreKey.seal(inner, fingerprint: nil, keyIn: path, systemContext)
        #expect(plain is MemoryRemote)
    }
}

/// All keys of a remote below a prefix.
private struct BelowPrefix: RemoteWrapper {
    let wrapped: any Remote
    let prefix: String

    private func below(_ key: ObjectKey) throws(Failure) -> ObjectKey {
        try ObjectKey(prefix + key.description)
    }

    func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try await wrapped.get(below(key), range: range)
    }

    func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        try await wrapped.read(
            requests.map { request in
                var request = request
                request.key = try below(request.key)
                return request
            })
    }

    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await wrapped.publish(bytes, to: below(slot))
    }

    func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        try await wrapped.put(bytes, to: below(key))
    }

    func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        let found = try await wrapped.list(
            prefix: self.prefix + prefix, after: try after.map { try below($0) }, limit: limit)
        return try found.map { object in
            let key = String(object.key.description.dropFirst(self.prefix.count))
            return ObjectInfo(key: try ObjectKey(key), size: object.size)
        }
    }

    func delete(_ key: ObjectKey) async throws { try await wrapped.delete(below(key)) }

    func wait(prefix: String, timeout: Duration) async throws {
        try await wrapped.wait(prefix: self.prefix + prefix, timeout: timeout)
    }
}
