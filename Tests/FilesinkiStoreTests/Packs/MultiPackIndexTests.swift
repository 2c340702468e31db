import FilesinkiHashing
import FilesinkiModel
import FilesinkiStore
import FilesinkiTesting
import Glibc
import Synchronization
import Testing

@Suite struct MultiPackIndexTests {
    let folder: TemporaryFolder
    let contents: [[UInt8]] = (0..<200).map { Array("content \($0)".utf8) }

    init() throws { folder = try TemporaryFolder(inMemory: true) }

    private var path: String { folder.path("joined") }
    private func open() -> MultiPackIndex { MultiPackIndex(folder: path) }

    /// A store with a pack for each content.
    private func store() async throws -> PackFixture {
        try await PackFixture(contents, blockSize: 1, packSize: 1)
    }

    private func files() throws -> [IndexFile] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var found: [IndexFile] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            var record = stat()
            guard !name.hasPrefix("."), stat(path + "/" + name, &record) == 0 else { continue }
            found.append(IndexFile(path: path + "/" + name, size: Int(record.st_size)))
        }
        return found.sorted { $0.size > $1.size }
    }

    /// Joins the packs one by one.
    private func joinAll(_ store: PackFixture, _ index: MultiPackIndex) async throws {
        for reader in store.readers {
            index.join([(reader.reference.id, try await reader.index())])
        }
    }

    @Test func `it names the pack of each content, also after it was opened again`() async throws {
        let store = try await store()
        let index = open()
        try await joinAll(store, index)
        for index in [index, open()] {
            #expect(index.packs == Set(store.references.map(\.id)))
            for (content, reference) in zip(contents, store.references) {
                #expect(index.packs(mayHold: ContentHasher.hash(content)) == [reference.id])
            }
            #expect(index.packs(mayHold: ContentHasher.hash([1, 2, 3])).isEmpty)
        }
    }

    @Test func `each file has at least twice as many entries as the next`() async throws {
        let store = try await store()
        let index = open()
        for (number, reader) in store.readers.enumerated() {
            index.join([(reader.reference.id, try await reader.index())])
            let counts = try files().map { ($0.size - 16) / (16 + 12) }
            #expect(counts.reduce(0, +) == number + 1)
            #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 >= 2 * $1 })
        }
        #expect(try files().count <= 8)
    }

    @Test func `a content in several packs is found in each`() async throws {
        let one = try await PackFixture([contents[0]])
        let index = open()
        let members = try await one.readers[0].index()
        let ids = (1...5).map { [UInt8](repeating: $0, count: 16) }
        for id in ids { index.join([(id, members)]) }
        #expect(Set(index.packs(mayHold: ContentHasher.hash(contents[0]))) == Set(ids))
        index.join([(ids[0], members)])
        #expect(index.packs(mayHold: ContentHasher.hash(contents[0])).count == 5)
    }

    @Test func `files that are longer than one read are searched and merged`() async throws {
        let many = (0..<9000).map { Array("\($0)".utf8) }
        let index = open()
        for part in [many[..<5000], many[5000..<8000], many[8000...]] {
            let store = try await PackFixture(Array(part))
            let id = ContentHasher.hash(part.first ?? []).bytes.prefix(16)
            index.join([(Array(id), try await store.readers[0].index())])
        }
        #expect(try files().count == 2)
        #expect(many.allSatisfy { open().packs(mayHold: ContentHasher.hash($0)).count == 1 })
        let absent = (9000..<9100).map { ContentHasher.hash(Array("\($0)".utf8)) }
        #expect(absent.allSatisfy { index.packs(mayHold: $0).isEmpty })
    }

    @Test func `a search among joined packs loads no other index`() async throws {
        let store = try await store()
        let cache = CountingIndexCache()
        func locator() -> ContentLocator {
            ContentLocator(
                packs: store.references.map {
                    PackReader(remote: store.remote, reference: $0, cache: cache)
                }, joined: open())
        }
        let absent = ContentHasher.hash([1, 2, 3])
        #expect(try await locator().find(absent) == nil)
        let requests = store.remote.reads.count
        #expect(requests == store.references.count)
        cache.forgetLoads()
        #expect(try await locator().find(absent) == nil)
        #expect(cache.loads <= 8)
        cache.forgetLoads()
        let found = try await locator().find(ContentHasher.hash(contents[7]), isLocal: true)
        #expect(found?.pack.reference == store.references[7])
        #expect(cache.loads <= 8)
        #expect(store.remote.reads.count == requests)
    }

    @Test func `entries that a damaged file hides are still found`() async throws {
        let store = try await store()
        let index = open()
        try await joinAll(store, index)
        let largest = try #require(files().first)
        // All entries of the largest file say another prefix.
        let file = try #require(fopen(largest.path, "r+"))
        fseek(file, 16 + (largest.size - 16) / 28 * 16, SEEK_SET)
        for _ in 0..<((largest.size - 16) / 28 * 12) { fputc(0xFF, file) }
        fclose(file)
        let locator = ContentLocator(packs: store.readers, joined: open())
        for content in contents {
            let id = ContentHasher.hash(content)
            #expect(try await locator.read(id, size: Int64(content.count)) == content)
        }
    }

    @Test func `a truncated file is removed, and its packs are joined again`() async throws {
        let store = try await store()
        try await joinAll(store, open())
        let largest = try #require(files().first)
        truncate(largest.path, off_t(largest.size - 5))
        let index = open()
        #expect(index.packs.count < store.references.count)
        #expect(try !files().contains { $0.path == largest.path })
        try await joinAll(store, index)
        #expect(index.packs.count == store.references.count)
    }

    @Test func `a file that a killed merge left is removed`() async throws {
        let store = try await store()
        let index = open()
        let first = store.readers[0]
        index.join([(first.reference.id, try await first.index())])
        let small = try #require(files().first)
        let copy = folder.path("copy")
        try #require(link(small.path, copy) == 0)
        try await joinAll(store, index)
        let left = path + "/" + String(repeating: "ab", count: 16)
        try #require(rename(copy, left) == 0)
        #expect(open().packs.count == store.references.count)
        #expect(try !files().contains { $0.path == left })
    }

    @Test func `packs stay joined when others cannot be added`() async throws {
        let store = try await store()
        let index = open()
        let (first, second) = (store.readers[0], store.readers[1])
        index.join([(first.reference.id, try await first.index())])
        // The folder can be written no more: a file has its name.
        try #require(rename(path, folder.path("moved")) == 0)
        let file = try #require(fopen(path, "w"))
        fclose(file)
        index.join([(second.reference.id, try await second.index())])
        #expect(index.packs == [first.reference.id])
    }

    @Test func `a folder that cannot be written costs only time`() async throws {
        let store = try await store()
        let index = MultiPackIndex(folder: "/proc/filesinki")
        try await joinAll(store, index)
        #expect(index.packs.isEmpty)
        let locator = ContentLocator(packs: store.readers, joined: index)
        let place = try await locator.find(ContentHasher.hash(contents[3]))
        #expect(place?.pack.reference == store.references[3])
    }
}

private struct IndexFile {
    let path: String
    let size: Int
}

/// A cache in memory that counts how often an index is loaded.
private final class CountingIndexCache: IndexCache {
    private let kept = Mutex<[[UInt8]: [UInt8]]>([:])
    private let count = Mutex(0)

    var loads: Int { count.withLock { $0 } }
    func forgetLoads() { count.withLock { $0 = 0 } }

    func load(_ id: [UInt8]) -> [UInt8]? {
        count.withLock { $0 += 1 }
        return kept.withLock { $0[id] }
    }

    func store(_ id: [UInt8], _ bytes: [UInt8]) { kept.withLock { $0[id] = bytes } }
}
