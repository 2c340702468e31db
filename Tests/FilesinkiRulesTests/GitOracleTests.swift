import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiRules

/// git itself says what is right: rules and paths, decided by both.
@Suite struct GitOracleTests {
    @Test func `decides as git does on random rules and paths`() throws {
        let wanted = knob("FILESINKI_IGNORE_CASES", otherwise: 2000)
        let seed = knob("FILESINKI_IGNORE_SEED", otherwise: 1)
        var generator = IgnoreWorldGenerator(seed: UInt64(clamping: seed))
        let worlds = (0..<max(1, wanted / 80)).map { _ in generator.world() }

        let count = try compare(worlds, "seed \(seed)")
        #expect(count >= wanted / 2)
    }

    @Test func `decides as git does on every documented case`() throws {
        let worlds = IgnoreCase.all.map(\.world)
        #expect(try compare(worlds, "table") >= IgnoreCase.all.count)
    }

    /// Compares the answers for all paths of all worlds, and returns how many there were.
    private func compare(_ worlds: [IgnoreWorld], _ title: String) throws -> Int {
        let answers = try ScratchFolder().gitAnswers(for: worlds)
        var count = 0
        for (number, world) in worlds.enumerated() {
            for path in world.paths {
                try #require(count < answers.count)
                let expected = answers[count]
                let found = world.explain(path)
                count += 1
                #expect(
                    found == expected, "\(title), world \(number), \(world.describe(path))")
            }
        }
        #expect(count == answers.count)
        return count
    }
}
