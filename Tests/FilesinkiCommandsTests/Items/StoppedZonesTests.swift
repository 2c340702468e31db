import FilesinkiModel
import Testing

@testable import FilesinkiCommands

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

    @Test("a folder of zones that cannot be listed is reported with what the other zones lack")
    func unlisted() async throws {
        let world = try await filled()
        takeNewestCommits(of: world)
        world.rename("a/.filesinki/kv", to: "kv")
        try world.write("no folder", to: "a/.filesinki/kv")
        let doctor = try await world.expect("doctor --root a", .negative)
        let check = try await world.expect("check --root a", .io)
        #expect(doctor.text.contains("2 failed"), "\(doctor.text)")
        #expect(check.talk.contains(": 2 problems."), "\(check.talk)")
        for told in [doctor.text, check.talk] {
            #expect(told.contains("a/.filesinki/kv: Cannot read the folder"), "\(told)")
            #expect(told.contains(name("rec-work")), "\(told)")
        }
    }

    @Test("an error of one zone is reported for it, and only what stops the command ends it")
    func errors() throws {
        let found = try StoppedZone("values", "theme", thrown: WorldError.noFile(5))
        #expect(found.items == "values" && found.failure.code == .io)
        #expect(found.failure.path == Array("theme".utf8))
        let failure = Failure(.corrupt, path: "x", "Damaged.", remedy: "")
        #expect(try StoppedZone("values", "theme", thrown: failure).failure.path == failure.path)
        let stop = Failure(.interrupted, "Stopped.", remedy: "")
        #expect(throws: Failure.self) { try StoppedZone("values", "theme", thrown: stop) }
        #expect(throws: CancellationError.self) {
            try StoppedZone("values", "theme", thrown: CancellationError())
        }
    }

    @Test("failures are told apart by their paths, and by their words where they have none")
    func joined() {
        func failure(_ path: String, _ message: String) -> Failure {
            Failure(.io, path: path, message, remedy: "")
        }
        let known = [failure("", "One."), failure("x", "Two.")]
        let others = [
            failure("", "One."), failure("", "Three."), failure("x", "Four."), failure("y", "Two."),
        ]
        let all = known.adding(others).map(\.description)
        #expect(all == ["One.", "x: Two.", "Three.", "y: Two."])
    }
}
