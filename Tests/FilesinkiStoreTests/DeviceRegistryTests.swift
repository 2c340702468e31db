import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Synchronization
import Testing

@testable import FilesinkiStore

@Suite("Acknowledgements of devices")
struct DeviceRegistryTests {
    private func acknowledgement(_ device: UInt8, _ sequence: UInt64) -> Acknowledgement {
        Acknowledgement(
            device: Device(id: StoreFixture.commitID(device), name: "device \(device)"),
            token: ChangeToken(sequence: sequence, hash: .none),
            time: Timestamp(nanoseconds: Int64(sequence)))
    }

    private func shelf(_ fixture: StoreFixture, zone: String = "files") throws -> DeviceRegistry {
        try DeviceRegistry(remote: fixture.remote, zone: zone, store: fixture.format)
    }

    @Test("the newest one of each device is read")
    func newest() async throws {
        let fixture = try StoreFixture()
        let shelf = try shelf(fixture)
        for (device, sequence): (UInt8, UInt64) in [(2, 1), (1, 5), (2, 12)] {
            try await shelf.acknowledge(acknowledgement(device, sequence))
        }
        #expect(try await shelf.all() == [acknowledgement(1, 5), acknowledgement(2, 12)])
        let objects = try await fixture.remote.list(prefix: "devices/", after: nil, limit: 10)
        #expect(objects.count == 2)
    }

    @Test("zones are separate")
    func zones() async throws {
        let fixture = try StoreFixture()
        try await shelf(fixture).acknowledge(acknowledgement(1, 5))
        try await shelf(fixture, zone: "settings").acknowledge(acknowledgement(1, 9))
        #expect(try await shelf(fixture).all() == [acknowledgement(1, 5)])
    }

    @Test("one that is damaged or in another device's place is skipped and reported")
    func damaged() async throws {
        let fixture = try StoreFixture()
        let shelf = try shelf(fixture)
        try await shelf.acknowledge(acknowledgement(1, 5))
        let key = try StoreLayout.slot(
            StoreLayout.acknowledgements(of: StoreFixture.commitID(1), zone: "files"), 5)
        let stored = try #require(try await fixture.remote.get(key, range: nil))
        let other = try StoreLayout.slot(
            StoreLayout.acknowledgements(of: StoreFixture.commitID(2), zone: "files"), 5)
        _ = try await fixture.remote.publish(stored, to: other)
        let third = try StoreLayout.slot(
            StoreLayout.acknowledgements(of: StoreFixture.commitID(3), zone: "files"), 5)
        _ = try await fixture.remote.publish([1, 2, 3], to: third)
        let skipped = Mutex(0)
        let all = try await shelf.all { _ in skipped.withLock { $0 += 1 } }
        #expect(all == [acknowledgement(1, 5)])
        #expect(skipped.withLock { $0 } == 2)
    }

    @Test("the last acknowledged commit is 0 at first, then the largest of any device")
    func last() async throws {
        let fixture = try StoreFixture()
        let shelf = try shelf(fixture)
        #expect(try await shelf.lastAcknowledged(lookingFor: []).last == 0)
        for (device, sequence): (UInt8, UInt64) in [(1, 5), (2, 12), (3, 7)] {
            try await shelf.acknowledge(acknowledgement(device, sequence))
        }
        try await self.shelf(fixture, zone: "settings").acknowledge(acknowledgement(1, 99))
        #expect(try await shelf.lastAcknowledged(lookingFor: []).last == 12)
    }

    @Test(
        "acknowledgements are found behind any number of other keys",
        arguments: [998, 999, 1000, 1999, 2000])
    func manyKeys(others: Int) async throws {
        let fixture = try StoreFixture()
        let shelf = try shelf(fixture)
        let device = hexadecimal(StoreFixture.commitID(1))
        for number in 1...others {
            let name = StoreLayout.name(UInt64(number))
            try await fixture.remote.put([1], to: ObjectKey("devices/\(device)/a-zone/\(name)/c"))
        }
        try await shelf.acknowledge(acknowledgement(2, 5))
        try await shelf.acknowledge(acknowledgement(3, 4))
        #expect(try await shelf.all() == [acknowledgement(2, 5), acknowledgement(3, 4)])
        #expect(try await shelf.lastAcknowledged(lookingFor: []).last == 5)
    }

    @Test("a device is forgotten in every zone")
    func forgotten() async throws {
        let fixture = try StoreFixture()
        let shelf = try shelf(fixture)
        for device in UInt8(1)...2 {
            try await shelf.acknowledge(acknowledgement(device, 5))
            try await self.shelf(fixture, zone: "settings").acknowledge(acknowledgement(device, 6))
        }
        try await shelf.forget(StoreFixture.commitID(1))
        let keys = try await fixture.remote.list(prefix: "", after: nil, limit: 10).map(\.key)
        let remaining = "devices/\(hexadecimal(StoreFixture.commitID(2)))/"
        #expect(keys.count == 2)
        #expect(keys.allSatisfy { $0.description.hasPrefix(remaining) })
    }
}
