import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiEncryption

/// Only the secret opens a key object, and nothing in it can be changed.
@Suite struct KeyObjectTests {
    private let key: StoreKey
    private let systemContext = ManualClock().systemContext
    private let secret: KeySecret
    private let cheap = PasswordHash(cost: 1 << 15, blockSize: 8, parallelism: 1)

    init() throws {
        key = try SealedObjectTests.key(7)
        secret = try KeySecret(.passphrase, Array("correct horse".utf8))
    }

    private func object(_ hash: PasswordHash) throws -> KeyObject {
        try KeyObject(key, secret, name: "laptop", hash, systemContext)
    }

    @Test("the secret opens the key; another one, or another kind, does not")
    func secrets() throws {
        let made = try object(cheap)
        let read = try KeyObject(decoding: made.encoded, id: made.id)
        #expect(try read.open(secret) == key)
        #expect(read.fingerprint == key.fingerprint && read.name == "laptop")
        #expect(try read.open(KeySecret(.passphrase, Array("correct horsf".utf8))) == nil)
        let file = try KeySecret(.keyFile, Array("correct horse battery".utf8))
        #expect(try read.open(file) == nil)
        #expect(!String(decoding: made.encoded, as: UTF8.self).contains(hexadecimal(key.bytes)))
    }

    @Test("a line that was changed, with a new checksum, is noticed")
    func changedLines() throws {
        let made = try object(cheap)
        let text = String(decoding: made.encoded, as: UTF8.self)
        let lines = text.split(separator: "\n").dropLast()
        for (number, line) in lines.enumerated().dropFirst() {
            var changed = lines.map(String.init)
            changed[number] = line.hasSuffix("0") ? line.dropLast() + "1" : line.dropLast() + "0"
            let pairs = changed.dropFirst().compactMap { line -> (key: String, value: String)? in
                let words = line.split(separator: " ", maxSplits: 2)
                return words.count == 3 ? (String(words[0]), String(words[2])) : nil
            }
            let bytes = ChecksummedText.encode(title: "filesinki key", pairs)
            let opened = try? KeyObject(decoding: bytes, id: made.id).open(secret)
            #expect(opened == nil, "\(line)")
        }
    }

    @Test(
        "a key object whose hash is too cheap or too expensive is refused",
        arguments: [
            (1 << 14, 8, 1), (1 << 21, 8, 1), (1 << 17, 1, 1), (1 << 17, 8, 9), (70_000, 8, 1),
        ])
    func costs(cost: Int, blockSize: Int, parallelism: Int) throws {
        let made = try object(cheap)
        let text = String(decoding: made.encoded, as: UTF8.self)
        let changed = text.replacing(
            "scrypt = 32768 8 1", with: "scrypt = \(cost) \(blockSize) \(parallelism)")
        let body = Array(changed.split(separator: "\n").dropLast().map { $0 + "\n" }.joined().utf8)
        let bytes = body + Array("sha256 = \(ContentHasher.hash(body))\n".utf8)
        #expect(throws: Failure.self) { try KeyObject(decoding: bytes, id: made.id) }
    }

    @Test("an empty passphrase and a short key file are refused")
    func weakSecrets() {
        #expect(throws: Failure.self) { try KeySecret(.passphrase, []) }
        #expect(throws: Failure.self) { try KeySecret(.keyFile, Array(repeating: 1, count: 15)) }
    }

    @Test("neither keys nor secrets are printed")
    func descriptions() {
        for value in ["\(key)", "\(secret)", String(reflecting: key), String(reflecting: secret)] {
            #expect(!value.contains("correct") && !value.contains("7, 7"), "\(value)")
        }
    }

    @Test("damaged objects and those of other stores are left out; several keys open one store")
    func objects() async throws {
        let remote = MemoryRemote()
        let objects = KeyObjects(remote, fingerprint: key.fingerprint)
        let first = try await objects.add(key, secret, name: "a", systemContext)
        let other = try KeySecret(.keyFile, Array(repeating: 9, count: 32))
        let second = try await objects.add(key, other, name: "b", systemContext)
        let foreign = try SealedObjectTests.key(8)
        _ = try await KeyObjects(remote, fingerprint: foreign.fingerprint).add(
            foreign, secret, name: "c", systemContext)
        try await remote.put(Array("nothing".utf8), to: ObjectKey("keys/damaged"))
        #expect(try await Set(objects.all().map(\.id)) == [first, second])
        #expect(try await objects.open(secret).key == key)
        #expect(try await objects.open(other).id == second)
        try await objects.remove(first)
        let failure = await #expect(throws: Failure.self) { try await objects.open(secret) }
        #expect(failure?.code == .notAllowed)
    }

    @Test("a replica's copy of the key is private, and read back")
    func kept() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(StoreKey.fileName)
        #expect(try StoreKey.read(path) == nil)
        try key.write(path)
        #expect(try StoreKey.read(path) == key)
    }
}
