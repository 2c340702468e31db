import FilesinkiCommands
import Testing

@Suite("Filters of log")
struct LogFilterTests {
    /// `one` in three versions, hour by hour, by a, b and a. The clock of b is a day ahead.
    private func world() async throws -> World {
        let world = try await ReplicaTests.pair()
        world.wait(seconds: 3600)
        world.hoursLater = 24
        try world.write("2\n", to: "b/one")
        #expect(try await world.run("sync", "b").code == .done)
        world.hoursLater = 0
        #expect(try await world.run("sync", "a").code == .done)
        world.wait(seconds: 3600)
        try world.write("3\n", to: "a/one")
        #expect(try await world.run("sync", "a").code == .done)
        return world
    }

    private func log(_ world: World, _ options: String) async throws -> World.Outcome {
        let words = "log --root a \(options)".split(separator: " ")
        return try await world.run(bytes: words.map { Array($0.utf8) })
    }

    @Test("--since, --until and --device choose from the whole log, whatever its clocks say")
    func chosen() async throws {
        let world = try await world()
        for (options, numbers) in [
            ("", ["3", "2", "1"]), ("--device b", ["2"]), ("--device a", ["3", "1"]),
            ("--device a -n 1", ["3"]), ("--since @1700003000", ["3", "2"]),
            ("--until @1700003000", ["1"]),
            // A commit that does not match says nothing about those before it.
            ("--since @1700050000", ["2"]), ("--until @1700050000", ["3", "1"]),
            ("--until @1700050000 -n 1", ["3"]),
            ("--since @1700003000 --until @1700050000", ["3"]),
            ("--since @1700003000 --device b", ["2"]),
        ] {
            for path in ["", " one"] {
                let outcome = try await log(world, options + path)
                #expect(outcome.code == .done, "\(options): \(outcome.talk)")
                let first = outcome.lines.map { line in
                    String(line.drop { " @".contains($0) }.prefix { $0.isNumber })
                }
                #expect(first == numbers, "\(options)\(path): \(outcome.text)")
            }
        }
    }

    @Test("a time includes all that its text names")
    func wholeTime() async throws {
        let world = try await world()
        let first = try #require(try await log(world, "one").lines.last)
        let words = first.split(separator: " ")
        try #require(words.count > 3)
        let second = words[1] + "T" + words[2]
        #expect(try await log(world, "--since \(second) --until \(second)").lines.count == 1)
    }

    @Test("a device is named by its name, or by enough digits of its id")
    func device() async throws {
        let world = try await world()
        let listed = try await world.run("devices", "--root", "a", "--json").lines
        let line = try #require(listed.first { $0.contains(#""device":"b""#) })
        let parts = line.split(separator: "\"").map(String.init)
        let place = try #require(parts.firstIndex(of: "device_id"))
        let id = parts[place + 2]
        #expect(try await log(world, "--device \(id)").lines.count == 1)
        #expect(try await log(world, "--device \(id.prefix(8))").lines.count == 1)
        #expect(try await log(world, "--device \(id.prefix(7))").code == .negative)
    }

    @Test(
        "what a filter finds only under the old name of a file leads there, if the limit does not")
    func renamed() async throws {
        let world = try await world()
        try await world.done("mv", "--root", "a", "one", "uno")
        try world.write("5\n", to: "a/uno")
        try await world.done("sync", "a")
        let next =
            "For the versions before the rename: filesinki log --root \(world.folder)/a one\n"
        for options in [
            "--device b", "--until @1700003000", "--since 2100-01-01", "--device b -n 1",
        ] {
            let outcome = try await log(world, options + " uno")
            #expect(outcome.code == .negative && outcome.output.isEmpty, "\(options)")
            #expect(outcome.talk == "Nothing matches.\n" + next, "\(options): \(outcome.talk)")
        }
        // The rename is version 4.
        for (options, talk) in [("", next), ("--device a", next), ("-n 2", next), ("-n 1", "")] {
            let outcome = try await log(world, options + " uno")
            #expect(outcome.code == .done && outcome.talk == talk, "\(options): \(outcome.talk)")
        }
        #expect(try await log(world, "--device b one").lines.count == 1)
        let other = try await log(world, "--commit 3 uno")
        #expect(other.code == .negative && other.talk.hasPrefix(next), "\(other.talk)")
        #expect(try await log(world, "--commit 5 uno").talk.isEmpty)
        let json = try await log(world, "--device b --json uno")
        #expect(json.talk == "Nothing matches.\n", "\(json.talk)")
    }

    @Test("the log of a renamed folder leads to the old name, if the limit does not leave that out")
    func renamedFolder() async throws {
        let world = try await world()
        try world.write("4\n", to: "b/sub/in/new")
        try await world.done("sync", "b")
        try await world.done("sync", "a")
        try await world.done("mv", "--root", "a", "sub", "neu")
        let before = "For the versions before the rename: filesinki log --root \(world.folder)/a "
        for (path, old) in [("neu", "sub"), ("neu/in", "sub/in")] {
            for options in ["--device b", "--until @1700003000", "--device b -n 1"] {
                let outcome = try await log(world, "\(options) \(path)")
                #expect(outcome.code == .negative && outcome.output.isEmpty, "\(options)")
                #expect(
                    outcome.talk == "Nothing matches.\n\(before)\(old)\n",
                    "\(options): \(outcome.talk)")
            }
            for options in ["", "--device a", "-n 1", "--commit 5"] {
                let outcome = try await log(world, "\(options) \(path)")
                #expect(outcome.code == .done && outcome.lines.count >= 1, "\(options)")
                #expect(outcome.talk == "\(before)\(old)\n", "\(options): \(outcome.talk)")
            }
            #expect(try await log(world, "--json \(path)").talk.isEmpty)
            let other = try await log(world, "--commit 4 \(path)")
            #expect(other.code == .negative, "\(other)")
            #expect(other.talk.hasPrefix("\(before)\(old)\n"), "\(other.talk)")
        }
        try world.write("6\n", to: "a/neu/in/new")
        try await world.done("sync", "a")
        for path in ["neu", "neu/in"] {
            for options in ["-n 1", "--commit 6"] {
                let outcome = try await log(world, "\(options) \(path)")
                #expect(outcome.code == .done && outcome.talk.isEmpty, "\(outcome.talk)")
            }
        }
    }

    @Test("only of a name that no device has, it says where the names are")
    func knownDevice() async throws {
        let world = try await world()
        for options in ["--device b --since 2100-01-01", "--device b sub/two", "--device b sub"] {
            let outcome = try await log(world, options)
            #expect(outcome.code == .negative)
            #expect(outcome.talk == "Nothing matches.\n", "\(options): \(outcome.talk)")
        }
    }

    @Test("what matches nothing exits with 1 and says so")
    func nothing() async throws {
        let world = try await world()
        for path in ["", " one"] {
            let device = try await log(world, "--device nobody" + path)
            #expect(device.code == .negative && device.output.isEmpty)
            let place = "filesinki devices --root \(world.folder)/a."
            #expect(
                device.talk == "Nothing matches. The names of devices: \(place)\n",
                "\(device.talk)")
            let later = try await log(world, "--since 2100-01-01" + path)
            #expect(later.code == .negative && later.talk == "Nothing matches.\n")
        }
        #expect(try await log(world, "--device a absent").talk.contains("No version of this path"))
        let wrong = try await log(world, "--until never")
        #expect(wrong.code == .usage && wrong.talk.contains("Invalid date or time."))
    }
}
