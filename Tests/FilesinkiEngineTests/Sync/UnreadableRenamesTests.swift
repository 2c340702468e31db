import FilesinkiEngine
import FilesinkiModel
import FilesinkiStore
import FilesinkiTesting
import Glibc
import Testing

/// A folder is renamed, and a folder in it cannot be read at the time.
@Suite struct UnreadableRenamesTests: EndedRuleScene {
    let world: World

    init() throws { world = try World() }

    /// A replica whose folder `p` is `q` now, with `sub` in it, in which a rule ignores a secret.
    private func renamed() async throws -> Machine {
        let (a, _) = try await world.pair(["k": .file("keep")])
        try a.write([
            ".filesinkiignore": .file("/p/sub/secret\n"),
            "p": .directory([
                "t": .file("t"),
                "sub": .directory(["secret": .file("secret"), "u": .file("u")]),
            ]),
        ])
        try await a.sync()
        a.rename("p", "q")
        return a
    }

    /// Too large for a file of rules: what its folder holds is unknown, also for a root who may read all.
    private func block(_ folder: String, _ a: Machine) throws {
        try a.write([".rules": .file("")])
        #expect(truncate(a.at(".rules"), 1 << 25) == 0)
        a.rename(".rules", "\(folder)/.filesinkiignore")
    }

    private func deletions() async throws -> [String] {
        try await world.commits().flatMap(\.changes)
            .filter { $0.entry.kind == .tombstone }.map { "\($0.path)" }
    }

    @Test(arguments: ["q/sub", "q"], ["sync", "watch"])
    func `what was in it is not sent as deleted, and what was ignored there stays private`(
        _ folder: String, _ command: String
    ) async throws {
        let a = try await renamed()
        try block(folder, a)
        if command == "watch" {
            try await a.syncChanges(
                "p", "p/t", "p/sub", "p/sub/u", "q", "q/t", "q/sub", folders: ["q"])
        }
        for _ in 1...2 { try await a.sync() }
        #expect(try await !deletions().contains("p/sub/u"))
        #expect(try await published().contains("q/t") == (folder == "q/sub"))
        a.remove("\(folder)/.filesinkiignore")
        for _ in 1...2 { try await a.sync() }
        #expect(try noted(a) == ["q/sub/secret"])
        #expect(try await count("secret") == 0)
        #expect(try await published().isSuperset(of: ["q/t", "q/sub/u"]))
        #expect(try await deletions().contains("p/sub/u"))
    }

    @Test func `what was deleted there before is sent as deleted once it can be read`()
        async throws
    {
        let a = try await renamed()
        a.remove("q/sub/u")
        try block("q/sub", a)
        try await a.sync()
        #expect(try await !deletions().contains("p/sub/u"))
        a.remove("q/sub/.filesinkiignore")
        try await a.sync()
        #expect(try await deletions().contains("p/sub/u"))
        #expect(try await count("secret") == 0)
    }
}
