import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

/// Two devices with a store whose contents are in packs, and what the tests of a prune do with it.
protocol PruneScene {
    var world: World { get }
    var a: Machine { get }
    var b: Machine { get }
}

extension PruneScene {
    /// A content that is in a pack, because it is too large for a commit.
    func large(_ seed: UInt64, _ count: Int = 300_000) -> TreeFixture.Node {
        var random = SeededRandom(seed: seed)
        return .bytes(random.bytes(count), mode: 0o644, modified: nil)
    }

    func policy(_ change: (inout RetentionPolicy) -> Void) -> RetentionPolicy {
        var policy = RetentionPolicy()
        change(&policy)
        return policy
    }

    @discardableResult
    func prune(
        _ machine: Machine, recompresses: Bool = false, isDryRun: Bool = false,
        _ change: (inout RetentionPolicy) -> Void = { $0.last = 1 }
    ) async throws -> PruneReport {
        let policy = policy(change)
        return try await machine.with {
            try await $0.prune(policy, recompresses: recompresses, isDryRun: isDryRun, nil)
        }
    }

    var packs: [ObjectKey] {
        world.store.objects.keys.filter { $0.description.hasPrefix("packs/") }.sorted()
    }

    var packBytes: Int { packs.reduce(0) { $0 + (world.store.objects[$1]?.count ?? 0) } }

    func name(_ text: String) -> TreeFixture.Name { .init(Array(text.utf8)) }

    /// The first device publishes versions of a file, each with a content of its own.
    func publishVersions(_ versions: ClosedRange<Int>) async throws {
        for version in versions {
            try a.write(["f": large(UInt64(version))])
            try await a.sync()
        }
    }

    /// All devices acknowledge the last commit: they do so once a day.
    func acknowledge() async throws {
        for machine in [a, b] {
            world.clock.advance(by: .seconds(90_000))
            // A folder has no content: what is sent does not depend on which files are read again.
            let day = world.clock.systemContext.now().seconds
            try machine.write([name("day\(day)"): .directory([:])])
            try await machine.sync()
        }
        try await world.converge()
    }

    /// The store is sound, and all devices, also a new one, have the same tree.
    func expectWhole(_ sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await world.converge(sourceLocation)
        let failures = try await a.with { try await $0.check(.all, progress: nil) }.failures
        #expect(failures.map(\.description) == [], sourceLocation: sourceLocation)
        let c = try await world.replica("c\(world.devices.count)")
        let report = try await c.sync()
        #expect(report.problems.map(\.failure.description) == [], sourceLocation: sourceLocation)
        #expect(try c.tree() == a.tree(), sourceLocation: sourceLocation)
    }
}
