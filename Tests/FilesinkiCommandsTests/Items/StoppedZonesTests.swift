import FilesinkiCommands
import Testing

/// An older copy of the store is back, without the newest commits of values and records. A run of files does not look
/// at them.
@Suite("Zones of values and records that an older copy of the store stops")
struct StoppedZonesTests {
    /// The zones whose newest commit the older copy lacks, and the step that each of them needs.
    private static let steps = [
        ("kv-default", "kv sync --root a --accept-account"),
        ("rec-work", "rec sync --root a --zone work --accept-account"),
    ]

    /// Sets a value twice and saves two records.
    private func filled() async throws -> World {
        let world = try await ReplicaTests.pair()
        for line in [
            "kv set theme dark", "kv set theme light", "rec save T x --zone work --set s=1",
            "rec save T y --zone work --set s=1",
        ] {
            try await world.expect("\(line) --root a")
        }
        return world
    }

    private func takeNewestCommits(of world: World) {
        for (zone, _) in Self.steps {
            world.rename("store/zones/\(zone)/log/00000000000000000002", to: "gone-\(zone)")
        }
    }

    private func name(_ zone: String) -> String {
        "zones/\(zone)/log/00000000000000000002: A commit that was seen is gone"
    }

    @Test("doctor and check report each of them, with the step that goes on")
    func reported() async throws {
        let world = try await filled()
        try await world.expect("doctor --root a")
        try await world.expect("check --root a")
        takeNewestCommits(of: world)
        let doctor = try await world.expect("doctor --root a", .negative)
        #expect(doctor.text.contains("2 failed"), "\(doctor.text)")
        let check = try await world.expect("check --root a", .notAllowed)
        #expect(check.talk.contains(": 2 problems."), "\(check.talk)")
        for (zone, step) in Self.steps {
            let words = step.replacing("--root a", with: "--root \(world.folder)/a")
            for told in [doctor.text, check.talk] {
                #expect(told.contains(name(zone)), "\(told)")
                #expect(told.contains("run filesinki \(words): "), "\(told)")
            }
        }
        for (_, step) in Self.steps { try await world.expect(step) }
        try await world.expect("doctor --root a")
        try await world.expect("check --root a")
    }

    @Test("nothing is said offline, nor of a zone that is off or that the device has not seen")
    func others() async throws {
        let world = try await filled()
        try await world.expect("kv off --root a")
        takeNewestCommits(of: world)
        try await world.expect("doctor --root a --offline")
        let doctor = try await world.expect("doctor --root a", .negative)
        #expect(doctor.text.contains("1 failed"), "\(doctor.text)")
        try await world.expect("doctor --root b")
        try await world.expect("check --root b")
    }
}
