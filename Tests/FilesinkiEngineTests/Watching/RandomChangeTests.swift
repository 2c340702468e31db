import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import FilesinkiWatch
import Glibc
import Testing

/// Runs for reported changes sync everything that full runs would.
@Suite("Random runs for reported changes")
struct RandomChangeTests {
    /// A user, and the changes that a watch reported.
    private struct User {
        let machine: Machine
        var heard = LocalChanges()
        var random: SeededRandom
        var count = 0

        mutating func number(_ below: Int) -> Int { Int.random(in: 0..<below, using: &random) }

        /// Some names of files and folders that are there or not.
        mutating func place() -> String {
            let folder = ["", "d/", "e/", "d/in/", "n/"][number(5)]
            return folder + ["a", "b", "c"][number(3)]
        }

        mutating func act() throws {
            count += 1
            let path = place()
            switch number(6) {
            case 0, 1, 2: write(path)
            case 3:
                if unlink(machine.at(path)) == 0 { hear(path) }
            case 4:
                let target = place()
                makeFolders(target)
                if isFile(path), rename(machine.at(path), machine.at(target)) == 0 {
                    hear(path)
                    hear(target)
                }
            default:
                let (old, new) = [("d", "n"), ("n", "d"), ("e", "d/in"), ("d/in", "e")][number(4)]
                if rename(machine.at(old), machine.at(new)) == 0 {
                    heard.folders.insert(try RelativePath(old))
                    heard.folders.insert(try RelativePath(new))
                }
            }
        }

        private mutating func write(_ path: String) {
            makeFolders(path)
            guard let file = fopen(machine.at(path), "w") else { return }
            // Each content is its author's own, so that a lost one shows.
            fputs("\(machine.root.suffix(1)) \(count)\n", file)
            fclose(file)
            hear(path)
        }

        private mutating func makeFolders(_ path: String) {
            var folder = ""
            for name in path.split(separator: "/").dropLast() {
                folder += folder.isEmpty ? "\(name)" : "/\(name)"
                if mkdir(machine.at(folder), 0o755) == 0 {
                    heard.folders.insert(RelativePath(unchecked: Array(folder.utf8)))
                }
            }
        }

        private mutating func hear(_ path: String) {
            heard.paths.insert(RelativePath(unchecked: Array(path.utf8)))
        }

        private func isFile(_ path: String) -> Bool {
            var status = stat()
            return lstat(machine.at(path), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        }

        /// What a watch does with reported changes.
        mutating func run() async throws -> ChangeReport {
            let changes = heard
            heard = LocalChanges()
            var options = SyncOptions()
            options.maxDelete = .count(1000)
            return try await machine.with {
                try await $0.syncChanges(changes, isRemoteHinted: true, options)
            }
        }
    }

    @Test("such runs alone make both sides equal", arguments: 1...12)
    func equal(_ seed: UInt64) async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "a": .file("a"), "b": .file("b"), "keep": .file("k"), "more": .file("m"),
            "d": .directory([
                "a": .file("da"), "b": .file("db"), "in": .directory(["c": .file("x")]),
            ]),
        ])
        var users = [
            User(machine: a, random: SeededRandom(seed: seed)),
            User(machine: b, random: SeededRandom(seed: seed + 1000)),
        ]
        for _ in 0..<30 {
            let who = users[0].number(2)
            for _ in 0..<users[0].number(4) { try users[who].act() }
            if users[0].number(3) > 0 { _ = try await users[who].run() }
        }
        for round in 0..<8 {
            let report = try await users[round % 2].run()
            #expect(report.report.problems.isEmpty, "seed \(seed): \(report.report.problems)")
        }
        #expect(try a.tree() == b.tree(), "seed \(seed)")
        for machine in [a, b] {
            let whole = try await machine.sync()
            #expect(whole.isQuiet, "seed \(seed): a run of everything found \(whole.steps)")
        }
    }
}
