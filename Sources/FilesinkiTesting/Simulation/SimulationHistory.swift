import FilesinkiHashing
import FilesinkiModel

/// A random history: the number of replicas, the steps, and the seed of the final syncs.
package struct SimulationHistory: Hashable, Sendable {
    package var replicas: Int
    package var steps: [SimulationStep]
    package var seed: UInt64

    package init(replicas: Int, seed: UInt64 = 1, steps: [SimulationStep]) {
        self.replicas = replicas
        self.steps = steps
        self.seed = seed
    }

    /// Executes the history in a world of its own.
    ///
    /// - Returns: The violated laws, as sentences; empty when all hold.
    package func violations() async throws -> [String] {
        let world = try await execute()
        let found = await world.violations
        guard found.isEmpty, isIndependentOfClocks else { return found }
        return try await differencesByClocks(world)
    }

    private func execute() async throws -> SimulationWorld {
        let keepsPast = steps.contains { if case .seeStore = $0 { true } else { false } }
        let world = try await SimulationWorld(replicas: replicas, keepsPast: keepsPast)
        for step in steps {
            await world.perform(step)
            guard await world.violations.isEmpty else { return world }
        }
        var random = SeededRandom(seed: seed)
        try await world.syncUntilEqual(&random)
        return world
    }

    /// A shorter history that still fails, found by removing steps and events.
    package func shrunk() async throws -> SimulationHistory {
        var best = self
        var size = max(steps.count / 2, 1)
        while true {
            var start = 0
            var isShorter = false
            while start < best.steps.count {
                var shorter = best
                shorter.steps.removeSubrange(start..<min(start + size, best.steps.count))
                if try await shorter.violations().isEmpty {
                    start += size
                } else {
                    best = shorter
                    isShorter = true
                }
            }
            if size > 1 { size /= 2 } else if !isShorter { break }
        }
        return try await best.withFewerEvents()
    }

    private func withFewerEvents() async throws -> SimulationHistory {
        var best = self
        for (index, step) in steps.enumerated() {
            guard case .run(let run) = step else { continue }
            for event in run.events {
                guard case .run(var fewer) = best.steps[index] else { continue }
                fewer.events.removeAll { $0 == event }
                var shorter = best
                shorter.steps[index] = .run(fewer)
                if try await !shorter.violations().isEmpty { best = shorter }
            }
        }
        return best
    }
}

/// Clocks decide nothing.
extension SimulationHistory {
    /// Whether the history must come to the same with all clocks right. Events are at numbers of requests, of which a
    /// clock may add some.
    private var isIndependentOfClocks: Bool {
        var isSkewed = false
        for step in steps {
            switch step {
            case .setClock: isSkewed = true
            case .run(let run):
                let strategy = run.strategy ?? ""
                let asksClocks = strategy.hasSuffix("newest") || strategy.hasSuffix("oldest")
                guard run.events.isEmpty, !asksClocks else { return false }
            default: break
            }
        }
        return isSkewed
    }

    /// How the end of the history differs from the one with right clocks.
    private func differencesByClocks(_ world: SimulationWorld) async throws -> [String] {
        var right = self
        right.steps.removeAll { if case .setClock = $0 { true } else { false } }
        let other = try await right.execute()
        let (tree, expected) = (await world.witness.tree, await other.witness.tree)
        return Set(tree.keys).union(expected.keys).sorted().compactMap { path in
            if tree[path].map(HeldValue.init) == expected[path].map(HeldValue.init),
                tree[path]?.kind == expected[path]?.kind, tree[path]?.mode == expected[path]?.mode
            {
                return nil
            }
            return "\(path): clocks decided about it"
        }
    }
}

extension SimulationHistory: CustomStringConvertible {
    package var description: String {
        "\(replicas) replicas, end \(seed)\n" + steps.map { "  \($0)" }.joined(separator: "\n")
    }
}

/// Data that a user could lose: the bytes of a file, or the target of a link.
enum HeldValue: Hashable, Sendable {
    case bytes(ContentID)
    case target([UInt8])

    init?(_ entry: Entry) {
        switch entry.kind {
        case .file: self = .bytes(entry.content)
        case .symlink: self = .target(entry.target)
        case .directory, .tombstone: return nil
        }
    }

    init?(_ node: TreeFixture.Node) {
        switch node {
        case .bytes(let bytes, _, _): self = .bytes(ContentHasher.hash(bytes))
        case .link(let target): self = .target(target)
        case .folder, .special: return nil
        }
    }
}

/// A value at a path.
struct Placement: Hashable, Sendable {
    var path: String
    var value: HeldValue
}

extension TreeFixture {
    /// The nodes by path. Folders are included without their contents.
    var flat: [String: Node] {
        var all: [String: Node] = [:]
        for (name, node) in nodes {
            let name = String(decoding: name.bytes, as: UTF8.self)
            guard case .folder(let tree, let mode) = node else {
                all[name] = node
                continue
            }
            all[name] = .folder([:], mode: mode)
            for (path, inner) in tree.flat { all[name + "/" + path] = inner }
        }
        return all
    }

    var placements: Set<Placement> {
        Set(
            flat.compactMap { path, node in
                HeldValue(node).map { Placement(path: path, value: $0) }
            })
    }

    var values: Set<HeldValue> { Set(placements.map(\.value)) }
}
