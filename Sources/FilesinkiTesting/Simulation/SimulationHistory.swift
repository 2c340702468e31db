/// A random history: how many replicas, what happens, and the seed of the end.
package struct SimulationHistory: Hashable, Sendable {
    package var replicas: Int
    package var steps: [SimulationStep]
    package var seed: UInt64

    package init(replicas: Int, seed: UInt64 = 1, steps: [SimulationStep]) {
        self.replicas = replicas
        self.steps = steps
        self.seed = seed
    }

    /// Lets it happen in a world of its own.
    ///
    /// - Returns: What is wrong with it, in words; empty when all laws hold.
    package func violations() async throws -> [String] {
        let world = try await SimulationWorld(replicas: replicas)
        for step in steps {
            await world.perform(step)
            let found = await world.violations
            if !found.isEmpty { return found }
        }
        var random = SeededRandom(seed: seed)
        try await world.settle(&random)
        return await world.violations
    }

    /// A shorter history that still fails: leaves out steps, and events in them, while it does.
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

extension SimulationHistory: CustomStringConvertible {
    package var description: String {
        "\(replicas) replicas, end \(seed)\n" + steps.map { "  \($0)" }.joined(separator: "\n")
    }
}
