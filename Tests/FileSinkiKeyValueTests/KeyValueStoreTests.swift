import FileSinkiKeyValue
import FilesinkiTesting
import Foundation
import Observation
import Synchronization
import Testing

@Suite("KeyValueStore")
struct KeyValueStoreTests {
    struct Pair {
        let folder: TemporaryFolder
        let one: KeyValueStore
        let two: KeyValueStore

        init() async throws {
            folder = try TemporaryFolder()
            // Only what a test asks for happens.
            one = try await KeyValueStore.open(
                folder: folder.path("one"), remote: folder.path("store"), listens: false)
            two = try await KeyValueStore.open(
                folder: folder.path("two"), remote: folder.path("store"), listens: false)
        }
    }

    @Test func `KV-02 KV-03 KV-04 every type is set and read back, on another device too`()
        async throws
    {
        let pair = try await Pair()
        let date = Date(timeIntervalSince1970: 1_714_555_800.25)
        pair.one.set("text", forKey: "s")
        pair.one.set(Int64.max, forKey: "i")
        pair.one.set(2.5, forKey: "d")
        pair.one.set(true, forKey: "b")
        pair.one.set(Data([0, 255]), forKey: "x")
        pair.one.set([1, "two"] as [Any], forKey: "a")
        pair.one.set(["k": 1.5], forKey: "m")
        pair.one.set(date as Any, forKey: "t")
        try await pair.one.exchangeNow()
        let changed = try await pair.two.exchangeNow()
        #expect(Set(changed) == ["s", "i", "d", "b", "x", "a", "m", "t"])
        let two = pair.two
        #expect(two.string(forKey: "s") == "text")
        #expect(two.longLong(forKey: "i") == .max)
        #expect(two.double(forKey: "d") == 2.5)
        #expect(two.bool(forKey: "b"))
        #expect(two.data(forKey: "x") == Data([0, 255]))
        #expect(two.value(forKey: "a") == .array([.integer(1), .string("two")]))
        #expect(two.dictionary(forKey: "m") as? [String: Double] == ["k": 1.5])
        #expect(two.object(forKey: "t") as? Date == date)
        #expect(two.dictionaryRepresentation.count == 8)
        #expect(two.string(forKey: "i") == nil && two.longLong(forKey: "none") == 0)
        #expect(two.object(forKey: "none") == nil)
        two.removeObject(forKey: "s")
        two.set(nil as Any?, forKey: "i")
        try await two.exchangeNow()
        try await pair.one.exchangeNow()
        #expect(pair.one.object(forKey: "s") == nil && pair.one.object(forKey: "i") == nil)
        #expect(two.synchronize())
    }

    @Test(
        "KV-01 each way to name the store's folder opens the same store",
        arguments: ["", "dir:", "file://", "file://localhost"])
    func folderAddress(_ prefix: String) async throws {
        let folder = try TemporaryFolder()
        let one = try await KeyValueStore.open(
            folder: folder.path("one"), remote: prefix + folder.path("store"))
        let two = try await KeyValueStore.open(
            folder: folder.path("two"), remote: folder.path("store"))
        one.set("v", forKey: "k")
        try await one.exchangeNow()
        try await two.exchangeNow()
        #expect(two.string(forKey: "k") == "v")
        _ = try await KeyValueStore.open(
            folder: folder.path("one"), remote: "dir:" + folder.path("store"))
    }

    @Test(
        "KV-01 an invalid store address is refused, and nothing is created",
        arguments: ["", "../game", "ftp://host/", "file://host/x", "https://me:secret@host/"])
    func noAddress(_ text: String) async throws {
        let folder = try TemporaryFolder()
        let error = await #expect(throws: KeyValueError.self) {
            try await KeyValueStore.open(folder: folder.path("one"), remote: text)
        }
        #expect(error?.kind == .invalid)
        #expect(error?.description.contains("secret") == false)
        #expect(!FileManager.default.fileExists(atPath: folder.path("one")))
    }

    @Test func `KV-03 registered defaults apply where there is no value, and 0 is a value`()
        async throws
    {
        let store = try await Pair().one
        store.register(defaults: ["n": 7, "on": true])
        #expect(store.longLong(forKey: "n") == 7 && store.bool(forKey: "on"))
        store.set(Int64(0), forKey: "n")
        store.set(false, forKey: "on")
        #expect(store.longLong(forKey: "n") == 0 && !store.bool(forKey: "on"))
        #expect(store.dictionaryRepresentation.count == 2)
    }

    @Test func `KV-07 KV-08 a refused write changes nothing and is reported`() async throws {
        let store = try await Pair().one
        store.set(String(repeating: "x", count: 1 << 20), forKey: "big")
        #expect(store.lastError == nil)
        store.set("more", forKey: "k")
        #expect(store.lastError?.kind == .quota)
        #expect(store.string(forKey: "k") == nil)
        store.set("x", forKey: String(repeating: "k", count: 65))
        #expect(store.lastError?.kind == .invalid)
        store.set("x", forKey: "")
        #expect(store.lastError?.kind == .invalid)
        store.set(Double.nan, forKey: "nan")
        #expect(store.object(forKey: "nan") == nil)
        #expect(throws: KeyValueError.self) { try store.set(["a": .string("1"), "": .null]) }
        #expect(store.string(forKey: "a") == nil)
    }

    @Test func `KV-09 KV-10 CS-03 changes of another device are reported with their reason`()
        async throws
    {
        let pair = try await Pair()
        try await pair.two.exchangeNow()
        var changes = pair.two.changes().makeAsyncIterator()
        pair.one.set("v", forKey: "k")
        try await pair.one.exchangeNow()
        let change = try #require(try await changes.next())
        #expect(change.reason == .serverChange && change.keys == ["k"])
        #expect(pair.two.string(forKey: "k") == "v")
    }

    enum Theme: String, CloudStorable {
        case dark, light
    }

    final class Settings {
        @CloudStorage var volume: Double
        @CloudStorage var theme: Theme
        @CloudStorage var name: String?
        @CloudStorage var count: Int

        init(_ store: KeyValueStore) {
            _volume = CloudStorage(wrappedValue: 0.5, "volume", store: store)
            _theme = CloudStorage(wrappedValue: .light, "theme", store: store)
            _name = CloudStorage("name", store: store)
            _count = CloudStorage(wrappedValue: 0, "count", store: store)
        }
    }

    @Test
    func `CS-02 a property is its key, its default without a value, and nil removes`()
        async throws
    {
        let pair = try await Pair()
        let (here, there) = (Settings(pair.one), Settings(pair.two))
        #expect(here.volume == 0.5 && here.theme == .light && here.name == nil)
        here.volume = 0.75
        here.theme = .dark
        here.name = "n"
        try await pair.one.exchangeNow()
        try await pair.two.exchangeNow()
        #expect(there.volume == 0.75 && there.theme == .dark && there.name == "n")
        there.name = nil
        #expect(pair.two.object(forKey: "name") == nil)
        pair.two.set("no number", forKey: "count")
        #expect(there.count == 0)
    }

    @Test("CS-03 reading a property subscribes to its changes, local and remote")
    func observation() async throws {
        let pair = try await Pair()
        let settings = Settings(pair.two)
        let heard = Mutex(0)
        let (told, teller) = AsyncStream<Void>.makeStream()
        let listen = {
            withObservationTracking {
                _ = settings.volume
            } onChange: {
                heard.withLock { $0 += 1 }
                teller.yield()
            }
        }
        listen()
        settings.count = 1
        #expect(heard.withLock { $0 } == 0)
        settings.volume = 1
        #expect(heard.withLock { $0 } == 1)
        listen()
        try await pair.two.exchangeNow()
        try await pair.one.exchangeNow()
        pair.one.set(0.25, forKey: "volume")
        try await pair.one.exchangeNow()
        try await pair.two.exchangeNow()
        // An exchange that another call began may have fetched it, and report it a moment later.
        var times = told.makeAsyncIterator()
        for _ in 0..<2 { await times.next() }
        #expect(heard.withLock { $0 } == 2)
        #expect(settings.volume == 0.25)
    }
}
