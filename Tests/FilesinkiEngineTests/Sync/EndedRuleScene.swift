import FilesinkiEngine
import FilesinkiHashing
import FilesinkiModel
import FilesinkiStore
import FilesinkiTesting
import Testing

/// Replicas of which one ends a rule that keeps files of the other one private.
protocol EndedRuleScene {
    var world: World { get }
}

extension EndedRuleScene {
    func published() async throws -> Set<String> {
        let changes = try await world.commits().flatMap { $0.changes + $0.superseded }
        return Set(changes.map { "\($0.path)" })
    }

    /// Two replicas with rules; `b` has a secret, and a file that was synced before it was ignored.
    func scene() async throws -> (Machine, Machine) {
        let (a, b) = try await world.pair(["old.env": .file("1"), "k": .file("keep")])
        try a.write([
            ".filesinkiignore": .file("*.env\n*.o\n"),
            ".filesinki.toml": .file("gitignore = true\n"),
            ".gitignore": .file("*.key\n"),
        ])
        try await a.sync()
        try await b.sync()
        try b.write(["d": .directory(["p.env": .file("secret")]), "s.key": .file("secret")])
        try await b.sync()
        return (a, b)
    }

    /// `a` takes `*.env` out of the synced rules.
    func endRule(_ a: Machine, deleting isDeleted: Bool = false) async throws {
        if isDeleted {
            a.remove(".filesinkiignore")
        } else {
            try a.write([".filesinkiignore": .file("*.o\n")])
        }
        try await a.sync()
    }

    /// As ``scene()``, after the end of the rule, which `b` has received.
    func ended() async throws -> (Machine, Machine) {
        let (a, b) = try await scene()
        try await endRule(a)
        #expect(try await withheld(b.sync()) == ["d/p.env"])
        return (a, b)
    }

    func withheld(_ report: SyncReport) -> [String] {
        report.withheld.sorted().map { "\($0)" }
    }

    /// What a report says of withheld paths.
    func noticesOfWithheld(_ report: SyncReport) -> [Problem] {
        report.notices.filter { $0.failure.message.hasPrefix("Withheld") }
    }

    func noted(_ machine: Machine) throws -> [String] {
        try machine.options.stateFolder.withheldPaths().sorted().map { "\($0)" }
    }

    func sync(_ machine: Machine, _ paths: String...) async throws {
        let paths = try paths.map { try RelativePath($0) }
        try await machine.sync { $0.paths = paths }
    }

    /// How often the content was published.
    func count(_ text: String) async throws -> Int {
        let content = ContentHasher.hash(Array(text.utf8))
        return try await world.commits().flatMap { $0.changes + $0.superseded }
            .count { $0.entry.content == content }
    }
}
