import FilesinkiEngine
import FilesinkiModel
import Glibc
import Testing

@testable import FilesinkiCommands

/// A trouble that a test makes up, and what the doctor has to say of it.
private struct Trouble: Sendable, CustomTestStringConvertible {
    var name: String
    var level: Diagnosis.Level
    /// A part of the line.
    var words: String
    var make: @Sendable (World) async throws -> Void

    init(
        _ name: String, _ level: Diagnosis.Level, _ words: String,
        _ make: @escaping @Sendable (World) async throws -> Void
    ) {
        self.name = name
        self.level = level
        self.words = words
        self.make = make
    }

    var testDescription: String { "\(name): \(words)" }
}

@Suite("doctor")
struct DoctorTests {
    @Test func `a sound replica has no problems, and exits with 0`() async throws {
        let world = try await ReplicaTests.pair()
        let outcome = try await world.run("doctor", "a")
        #expect(outcome.code == .done, "\(outcome.text)")
        #expect(outcome.lines.count == 1, "\(outcome.text)")
        #expect(outcome.text.hasSuffix(" checks passed  (-v lists all)\n"), "\(outcome.text)")
        let all = try await world.run("doctor", "-v", "a")
        #expect(all.lines.dropFirst().allSatisfy { $0.hasPrefix("ok ") }, "\(all.text)")
        #expect(all.lines.first == "\(all.lines.count - 1) checks passed")
        #expect(try await world.run("doctor", "a", "-q").output.isEmpty)
    }

    private static let troubles: [Trouble] = [
        Trouble("replica", .error, "is not a replica. Make it one with filesinki init") { world in
            world.remove("a/.filesinki/replica")
        },
        Trouble("replica", .error, "configuration cannot be read") { world in
            try world.write("x", to: "a/.filesinki/replica")
        },
        Trouble("root", .error, "lost its marker") { $0.remove("a/.filesinki/root") },
        Trouble("root", .error, "belongs to another replica") { world in
            try world.write("00\n", to: "a/.filesinki/root")
        },
        Trouble("privacy", .warning, "Others can read") { world in
            chmod(world.folder + "/a/.filesinki", 0o755)
        },
        Trouble("privacy", .error, "Others can change") { world in
            chmod(world.folder + "/a/.filesinki/manifest.sqlite", 0o666)
        },
        Trouble("privacy", .error, "belongs to another user") { $0.machine.user = 12_345 },
        Trouble("file-system", .warning, "cannot exchange two files") { world in
            world.machine.traits = { _ in FileSystemTraits(exchanges: false) }
        },
        Trouble("file-system", .warning, "does not distinguish upper from lower case") { world in
            world.machine.traits = { _ in FileSystemTraits(foldsCase: true) }
        },
        Trouble("file-system", .warning, "does not distinguish two Unicode forms") { world in
            world.machine.traits = { _ in FileSystemTraits(foldsUnicode: true) }
        },
        Trouble("file-system", .warning, "cannot rename a file to a free name only") { world in
            world.machine.traits = { _ in FileSystemTraits(renamesToFree: false, links: false) }
        },
        Trouble("file-system", .warning, "does not support symbolic links") { world in
            world.machine.traits = { _ in FileSystemTraits(symlinks: false) }
        },
        Trouble("file-system", .warning, "does not keep permission bits") { world in
            world.machine.traits = { _ in FileSystemTraits(keepsModes: false) }
        },
        Trouble("disk", .error, "Only 50 MB are free") { world in
            world.machine.space = { _ in (50_000_000, 1 << 40) }
        },
        Trouble("disk", .warning, "Only 500 MB are free") { world in
            world.machine.space = { _ in (500_000_000, 1 << 40) }
        },
        Trouble("writing", .warning, "Only 63 MB are free at the store. Free some space") { world in
            let store = world.folder + "/store"
            world.machine.space = { ($0 == store ? 63_999_999 : 1 << 40, 1 << 40) }
        },
        Trouble("manifest", .error, "Run filesinki sync: it is set aside") { world in
            try world.write(String(repeating: "x", count: 9000), to: "a/.filesinki/manifest.sqlite")
        },
        Trouble("leftovers", .warning, "left 2 files behind") { world in
            try world.write("x", to: "a/.filesinki/staging/1-1")
            try world.write("x", to: "a/.filesinki/staging/1-2")
        },
        Trouble("rules", .error, ".filesinki.toml") { world in
            try world.write("[[rule]]\nmatch = ", to: "a/.filesinki.toml")
        },
        Trouble("rules", .error, "newset") { world in
            try world.write(
                "[[rule]]\nmatch = \"*\"\nstrategy = \"newset\"\n", to: "a/.filesinki.toml")
        },
        Trouble("watches", .warning, "max_user_watches=12") { $0.machine.watchLimit = { 3 } },
        Trouble("remote", .error, "was not found (unmounted?)") { world in
            world.rename("store", to: "gone")
        },
        Trouble("remote", .error, "No store was found there") { world in
            world.rename("store", to: "gone")
            try world.makeFolder("store")
        },
        Trouble("remote", .warning, "has no remote") { world in
            let config = world.readText("a/.filesinki/replica") ?? ""
            let lines = config.split(separator: "\n").filter { !$0.hasPrefix("remote") }
            try world.write(lines.joined(separator: "\n") + "\n", to: "a/.filesinki/replica")
        },
        Trouble("remote", .error, "is not the store") { world in
            world.rename("store", to: "gone")
            _ = try await world.run("init", "c", "--remote", "store")
        },
        Trouble("history", .error, "the store was rolled back") { world in
            try world.write("2", to: "a/new")
            _ = try await world.run("sync", "a")
            let log = "store/zones/files/log"
            if let last = world.names(in: log).last { world.remove("\(log)/\(last)/c") }
        },
        Trouble("clock", .error, "apart") { world in
            world.machine.fileTime = { _ in Timestamp(nanoseconds: 0) }
        },
        Trouble("clock", .error, "3 hours in the future") { world in
            world.hoursLater = 3
            try world.write("later", to: "b/later")
            _ = try await world.run("sync", "b")
            world.hoursLater = 0
        },
        Trouble("devices", .warning, "filesinki devices forget b") { $0.hoursLater = 24 * 100 },
        Trouble("conflicts", .warning, "1 open conflict. See") { world in
            try world.write("from a", to: "a/one")
            try world.write("from b", to: "b/one")
            _ = try await world.run("sync", "b")
            _ = try await world.run("sync", "a")
        },
        Trouble("credentials", .error, "Run chmod 600") { world in
            try world.write("", to: "config/filesinki/credentials.toml")
        },
        Trouble("network", .error, "Install it.") { world in
            let config = world.readText("a/.filesinki/replica") ?? ""
            let lines = config.split(separator: "\n").filter { !$0.hasPrefix("remote") }
            let text = lines.joined(separator: "\n") + "\nremote = https://host\n"
            try world.write(text, to: "a/.filesinki/replica")
            world.network.prepare = {
                throw Failure(.usage, "It is not there.", remedy: "Install it.")
            }
        },
    ]

    @Test("each problem is reported with its remedy", arguments: troubles)
    private func found(_ trouble: Trouble) async throws {
        let world = try await ReplicaTests.pair()
        try await trouble.make(world)
        // A clock that is set anew agrees with the disk of the store.
        if trouble.name != "clock" {
            let hours = world.hoursLater
            let time = world.machine.fileTime
            world.machine.fileTime = {
                Timestamp(nanoseconds: try time($0).nanoseconds + hours * 3_600_000_000_000)
            }
        }
        let outcome = try await world.run("doctor", "a")
        let line = outcome.lines.first { $0.contains("  \(trouble.name) ") && !$0.hasPrefix("ok") }
        #expect(
            line?.hasPrefix(trouble.level == .error ? "failed" : "warning") == true,
            "\(outcome.text)")
        let plain = line?.replacing(" --root \(world.folder)/a", with: "")
        #expect(plain?.contains(trouble.words) == true, "\(outcome.text)")
        #expect(line?.hasSuffix(".") == true, "\(outcome.text)")
        #expect(outcome.code == (trouble.level == .error ? .negative : .done))
    }

    @Test func `on this machine's disk, what the probe finds is true`() throws {
        let world = try World()
        let facts = MachineFacts.real
        let traits = try facts.traits(world.folder)
        // The tests' temporary folder is on a Linux file system.
        #expect(traits == FileSystemTraits())
        #expect(world.names().isEmpty)
        #expect(facts.space(world.folder) != nil)
        #expect(try facts.fileTime(world.folder).seconds > 1_700_000_000)
    }
}
