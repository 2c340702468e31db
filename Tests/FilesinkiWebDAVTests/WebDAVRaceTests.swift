import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import FilesinkiWebDAV
import Glibc
import Synchronization
import Testing

/// Races on real servers: see Decisions/0012-webdav-slots.md for what came of longer ones.
///
/// `FILESINKI_RACE_WRITERS` and `FILESINKI_RACE_COMMITS` make longer races, `FILESINKI_RACE_SERVER`
/// takes one server, by its name; how fast they were is then shown.
@Suite(.enabled(if: !installed.isEmpty, "no WebDAV server is installed"), .serialized)
struct WebDAVRaceTests {
    @Test("concurrent writers that append to one log lose nothing", arguments: racing)
    func appending(_ server: RealServer) async throws {
        let isLong = knob("FILESINKI_RACE_WRITERS") != nil
        let race = Race(
            writers: knob("FILESINKI_RACE_WRITERS", otherwise: 6),
            commits: knob("FILESINKI_RACE_COMMITS", otherwise: 4),
            store: try await RealStore(server))
        let start = ContinuousClock.now
        let acknowledged = try await race.run()
        let seconds = Double((ContinuousClock.now - start) / .seconds(1))
        try await race.audit(acknowledged)
        if isLong {
            let speed = Int(Double(acknowledged.count) / seconds)
            print("\(server): \(acknowledged.count) commits, \(speed) a second; \(race.counts)")
        }
    }

    @Test("a real server passes the probe, which leaves no object behind", arguments: installed)
    func probe(_ server: RealServer) async throws {
        let store = try await RealStore(server)
        let probe = SlotProbe(
            systemContext: ManualClock().systemContext, writers: 8, rounds: 4
        ) { try store.connect() }
        let report = try await probe.testRemote()
        #expect(report.isFit, "\(report)")
        #expect(try await store.connect().list(prefix: "", after: nil, limit: 9) == [])
    }
}

/// Who asks for a password does the same with files as who asks for none.
private let racing = installed.filter { server in
    if let name = getenv("FILESINKI_RACE_SERVER") { return "\(server)" == String(cString: name) }
    return ![.apacheBasic, .apacheDigest].contains(server)
}

/// Many writers, each with connections of its own to one store, and one log.
private final class Race: Sendable {
    let writers: Int
    let commits: Int
    let store: RealStore
    /// The number after the highest one seen as filled.
    private let next = Atomic(1)
    private let lost = Atomic(0)

    init(writers: Int, commits: Int, store: RealStore) {
        self.writers = writers
        self.commits = commits
        self.store = store
    }

    var counts: String { "\(lost.load(ordering: .relaxed)) races lost on the way" }

    /// Appends everything.
    ///
    /// - Returns: The bytes that each number was acknowledged with.
    func run() async throws -> [Int: [UInt8]] {
        try await withThrowingTaskGroup(of: [Int: [UInt8]].self) { group in
            for writer in 0..<writers {
                group.addTask {
                    let remote = try self.store.connect()
                    var own: [Int: [UInt8]] = [:]
                    for commit in 0..<self.commits {
                        let bytes = Array("\(writer) \(commit)".utf8)
                        own[try await self.append(bytes, to: remote)] = bytes
                    }
                    return own
                }
            }
            return try await group.reduce(into: [:]) { all, own in
                for (number, bytes) in own {
                    #expect(all[number] == nil, "slot \(number) was won twice")
                    all[number] = bytes
                }
            }
        }
    }

    private func append(_ bytes: [UInt8], to remote: any Remote) async throws -> Int {
        while true {
            let number = next.load(ordering: .relaxed)
            let outcome = try await remote.publish(bytes, to: slot(number))
            _ = next.compareExchange(
                expected: number, desired: number + 1, ordering: .relaxed)
            if outcome == .mine { return number }
            lost.add(1, ordering: .relaxed)
        }
    }

    func audit(_ acknowledged: [Int: [UInt8]]) async throws {
        #expect(acknowledged.count == writers * commits)
        let remote = try store.connect()
        for (number, bytes) in acknowledged {
            #expect(try await remote.get(slot(number), range: nil) == bytes, "slot \(number)")
        }
        #expect(acknowledged.keys.max() == acknowledged.count, "the log has no gaps")
        let behind = try slot(acknowledged.count + 1)
        #expect(try await remote.get(behind, range: nil) == nil)
    }

    private func slot(_ number: Int) throws -> ObjectKey {
        let digits = String(number)
        return try ObjectKey(
            "zones/main/log/\(String(repeating: "0", count: 20 - digits.count))\(digits)/c")
    }
}
