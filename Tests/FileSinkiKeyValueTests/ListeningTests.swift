import FileSinkiKeyValue
import FilesinkiTesting
import Foundation
import Observation
import Synchronization
import Testing

/// What a store does by itself, without a requested exchange on the receiving device.
@Suite("A store that receives changes")
struct ListeningTests {
    private struct Pair {
        let folder: TemporaryFolder
        let one: KeyValueStore
        let two: KeyValueStore

        init() async throws {
            folder = try TemporaryFolder()
            one = try await KeyValueStore.open(
                folder: folder.path("one"), remote: folder.path("store"), listens: false)
            two = try await KeyValueStore.open(
                folder: folder.path("two"), remote: folder.path("store"))
        }
    }

    private final class Settings {
        @CloudStorage var volume: Double
        @CloudStorage var other: Int

        init(_ store: KeyValueStore) {
            _volume = CloudStorage(wrappedValue: 0.5, "volume", store: store)
            _other = CloudStorage(wrappedValue: 0, "other", store: store)
        }
    }

    @Test("CS-03 a value set by another device arrives by itself and notifies readers")
    func comes() async throws {
        let pair = try await Pair()
        let settings = Settings(pair.two)
        let heard = Mutex(0)
        withObservationTracking {
            _ = settings.volume
        } onChange: {
            heard.withLock { $0 += 1 }
        }
        pair.one.set(0.25, forKey: "volume")
        try await pair.one.exchangeNow()
        #expect(try await eventually { heard.withLock { $0 } == 1 })
        #expect(settings.volume == 0.25)
        pair.one.removeObject(forKey: "volume")
        try await pair.one.exchangeNow()
        #expect(try await eventually { settings.volume == 0.5 })
    }

    @Test("CS-03 a value set by another process of the device notifies readers, without a remote")
    func anotherProcess() async throws {
        let folder = try TemporaryFolder()
        let store = try await KeyValueStore.open(folder: folder.path("one"))
        let settings = Settings(store)
        let heard = Mutex(0)
        withObservationTracking {
            _ = settings.volume
        } onChange: {
            heard.withLock { $0 += 1 }
        }
        let process = try await KeyValueStore.open(folder: folder.path("one"), listens: false)
        process.set(0.75, forKey: "volume")
        #expect(try await eventually { heard.withLock { $0 } == 1 })
        #expect(settings.volume == 0.75)
    }

    @Test("CS-03 a store's own change notifies once, before set returns")
    func ownOnce() async throws {
        let pair = try await Pair()
        let settings = Settings(pair.two)
        let heard = Mutex(0)
        func listen() {
            withObservationTracking {
                _ = settings.volume
            } onChange: {
                heard.withLock { $0 += 1 }
            }
        }
        listen()
        settings.volume = 1
        #expect(heard.withLock { $0 } == 1)
        // A store that starts again does not report the same change twice.
        listen()
        settings.other = 1
        pair.one.set("x", forKey: "mark")
        try await pair.one.exchangeNow()
        #expect(try await eventually { pair.two.string(forKey: "mark") == "x" })
        #expect(try await eventually { pair.two.status.keys == ["mark"] })
        #expect(heard.withLock { $0 } == 1)
    }

    @Test("CS-04 the status has the date, the source and the keys of the last change")
    func status() async throws {
        let pair = try await Pair()
        let before = Date()
        #expect(pair.two.status.source == .initial && pair.two.status.keys == [])
        #expect(pair.two.status.date <= before)
        pair.two.set("mine", forKey: "k")
        #expect(pair.two.status.source == .localChange && pair.two.status.keys == ["k"])
        let mine = pair.two.status.date
        #expect(mine >= before.addingTimeInterval(-0.01) && mine <= Date())
        try await pair.two.exchangeNow()
        let heard = Mutex(0)
        withObservationTracking {
            _ = pair.two.status
        } onChange: {
            heard.withLock { $0 += 1 }
        }
        pair.one.set("theirs", forKey: "l")
        try await pair.one.exchangeNow()
        let isTold = try await eventually {
            pair.two.status.source == .externalChange(.serverChange)
        }
        #expect(isTold && pair.two.status.keys == ["l"])
        #expect(pair.two.status.date >= mine)
        #expect(try await eventually { heard.withLock { $0 } == 1 })
    }

    @Test("CS-04 KV-09 KV-10 a notification has the reason and the keys, for others' changes only")
    func notification() async throws {
        let pair = try await Pair()
        let told = Mutex<[String]>([])
        let observer = NotificationCenter.default.addObserver(
            forName: KeyValueStore.didChangeExternallyNotification, object: pair.two, queue: nil
        ) { notification in
            let info = notification.userInfo
            let reason = info?[KeyValueStore.changeReasonKey] as? KeyValueStoreChange.Reason
            let keys = info?[KeyValueStore.changedKeysKey] as? [String]
            told.withLock { $0.append("\(reason?.rawValue ?? "none") \(keys ?? [])") }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        pair.two.set("mine", forKey: "own")
        try await pair.two.exchangeNow()
        // Events are reported in order: one of another process on this device would come first.
        let process = try await KeyValueStore.open(
            folder: pair.folder.path("two"), listens: false)
        process.set("beside", forKey: "beside")
        pair.one.set("theirs", forKey: "k")
        try await pair.one.exchangeNow()
        #expect(try await eventually { told.withLock { $0 } == [#"server ["k"]"#] })
        // A limit that would be exceeded is reported as Apple's store does.
        pair.two.set(String(repeating: "x", count: 1 << 21), forKey: "big")
        #expect(try await eventually { told.withLock { $0.last } == #"quota ["big"]"# })
        #expect(told.withLock { $0.count } == 2)
    }

    @Test("CS-03 a released store no longer receives changes")
    func ends() async throws {
        let folder = try TemporaryFolder()
        let one = try await KeyValueStore.open(
            folder: folder.path("one"), remote: folder.path("store"), listens: false)
        var two: KeyValueStore? = try await KeyValueStore.open(
            folder: folder.path("two"), remote: folder.path("store"))
        weak let gone = two
        one.set("1", forKey: "k")
        try await one.exchangeNow()
        #expect(try await eventually { two?.string(forKey: "k") == "1" })
        two = nil
        #expect(try await eventually { gone == nil })
        // Another open store receives both changes; this one would have received the first, too.
        let three = try await KeyValueStore.open(
            folder: folder.path("three"), remote: folder.path("store"))
        for (value, key) in [("2", "k"), ("3", "l"), ("4", "m")] {
            one.set(value, forKey: key)
            try await one.exchangeNow()
            #expect(try await eventually { three.string(forKey: key) == value })
        }
        let looking = try await KeyValueStore.open(folder: folder.path("two"), listens: false)
        #expect(looking.string(forKey: "k") == "1")
    }
}
