import FilesinkiItems
import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiKeyValue

/// Several devices, each with several processes, set the same keys at random and at once.
///
/// `FILESINKI_KV_PROCESSES`, `FILESINKI_KV_DEVICES` and `FILESINKI_KV_ROUNDS` make it larger:
/// 10, 3 and some thousand rounds take about a minute.
@Suite("Key-value stores converge")
struct ConvergenceTests {
    /// What all have acknowledged, for the laws at the end.
    private actor Acknowledged {
        /// What the one process that sets a key has set last.
        var own: [String: TypedValue] = [:]
        var plain: Set<TypedValue> = []

        func note(own key: String, _ value: TypedValue) { own[key] = value }
        /// The greatest that anybody has set at a key under `max`.
        var max: Int64?

        func note(max value: Int64) { max = Swift.max(value, max ?? value) }
        func note(plain value: TypedValue) { plain.insert(value) }
    }

    @Test(
        "KV-14 an acknowledged value is superseded only by its key's rule",
        arguments: [UInt64(1), 2, 3])
    func converge(_ seed: UInt64) async throws {
        let processes = knob("FILESINKI_KV_PROCESSES", otherwise: 3)
        let rounds = knob("FILESINKI_KV_ROUNDS", otherwise: 8)
        let meeting = try await Meeting()
        let faulty = FaultyRemote(
            SlowRemote(meeting.remote), rates: FaultyRemote.Rates(before: 0.05, after: 0.05),
            seed: seed)
        let devices = try (0..<knob("FILESINKI_KV_DEVICES", otherwise: 3)).map { number in
            try Device("d\(number)", remote: faulty, clock: meeting.clock)
        }
        let acknowledged = Acknowledged()
        try await withThrowingTaskGroup(of: Int64.self) { group in
            for (index, device) in devices.enumerated() {
                for process in 0..<processes {
                    let chance = seed &* 1_000 &+ UInt64(index * 100 + process)
                    group.addTask {
                        try await Self.work(
                            device, "d\(index)", process, rounds, SeededRandom(seed: chance),
                            acknowledged)
                    }
                }
            }
            for try await _ in group {}
        }
        faulty.rates = FaultyRemote.Rates()
        for device in devices + devices { try await device.sync() }
        try await check(devices, acknowledged)
    }

    /// One process: sets keys, and syncs now and then; a remote that fails is nothing special.
    private static func work(
        _ device: Device, _ name: String, _ process: Int, _ rounds: Int, _ start: SeededRandom,
        _ acknowledged: Acknowledged
    ) async throws -> Int64 {
        var random = start
        let values = try device.anotherProcess()
        let ownKey = "own-\(name)-\(process)"
        var last: TypedValue?
        for round in 0..<rounds {
            // Only this process sets this key: whatever others do, the last value stays.
            #expect(try await values.get(ValueKey(ownKey)).value == last)
            let value = Int64.random(in: 0..<1_000_000, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                try await values.apply([
                    ValueChange(ValueKey("max"), .integer(value), policy: .max)
                ])
                await acknowledged.note(max: value)
            case 1:
                let own = TypedValue.string("\(round)")
                try await values.apply([ValueChange(ValueKey(ownKey), own)])
                await acknowledged.note(own: ownKey, own)
                last = own
            default:
                let plain = TypedValue.string("\(name)-\(process)-\(round)")
                try await values.apply([ValueChange(ValueKey("plain"), plain)])
                await acknowledged.note(plain: plain)
            }
            if random.chance(0.5) {
                do { _ = try await values.exchange() } catch let failure as Failure
                    where [.away, .busy, .io, .notAllowed].contains(failure.code)
                {}
            }
        }
        return 0
    }

    private func check(_ devices: [Device], _ acknowledged: Acknowledged) async throws {
        let first = try await devices[0].all
        for device in devices { #expect(try await device.all == first) }
        for device in devices { #expect(try await device.values.pendingKeys().isEmpty) }
        for (key, value) in await acknowledged.own { #expect(first[key] == value, "\(key)") }
        #expect(await first["max"] == acknowledged.max.map(TypedValue.integer))
        // What all set holds something that somebody has set.
        if let plain = first["plain"] {
            #expect(await acknowledged.plain.contains(plain))
        } else {
            #expect(await acknowledged.plain.isEmpty)
        }
    }

    @Test(
        "KV-14 counters of all processes count every step, and unions contain every element",
        arguments: [UInt64(4), 5])
    func counters(_ seed: UInt64) async throws {
        let meeting = try await Meeting()
        let faulty = FaultyRemote(
            meeting.remote, rates: FaultyRemote.Rates(before: 0.05, after: 0.1), seed: seed)
        let devices = try (0..<3).map {
            try Device("d\($0)", remote: faulty, clock: meeting.clock)
        }
        let rounds = knob("FILESINKI_KV_ROUNDS", otherwise: 8)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, device) in devices.enumerated() {
                group.addTask {
                    var random = SeededRandom(seed: seed &* 77 &+ UInt64(index))
                    for round in 0..<rounds {
                        try await device.count(by: 1, adding: "\(index)-\(round)")
                        let process = try device.anotherProcess()
                        if random.chance(0.6) { _ = try? await process.exchange() }
                    }
                }
            }
            try await group.waitForAll()
        }
        faulty.rates = FaultyRemote.Rates()
        for device in devices + devices { try await device.sync() }
        for device in devices {
            #expect(try await device.get("n") == .integer(Int64(3 * rounds)))
            guard case .array(let found)? = try await device.get("u") else {
                Issue.record("the union is lost")
                continue
            }
            #expect(Set(found).count == 3 * rounds && found.count == 3 * rounds)
        }
    }
}

extension Device {
    /// One step of a counter and one element more, in one write upon what is here at that moment.
    fileprivate func count(by step: Int64, adding element: String) async throws {
        try await values.update { read in
            var (count, elements): (Int64, [TypedValue]) = (0, [])
            if case .integer(let value)? = try read(ValueKey("n")) { count = value }
            if case .array(let value)? = try read(ValueKey("u")) { elements = value }
            return [
                ValueChange(try ValueKey("n"), .integer(count + step), policy: .sum),
                ValueChange(
                    try ValueKey("u"), .array(elements + [.string(element)]), policy: .union),
            ]
        }
    }
}
