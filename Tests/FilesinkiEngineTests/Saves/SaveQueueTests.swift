import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Glibc
import Testing

/// Saves of many processes at once: who is at work does what the others wait for.
@Suite("Concurrent saves", .timeLimit(.minutes(60)))
struct SaveQueueTests {
    let world: World
    let (a, b): (Machine, Machine)

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["f": .file("one"), "folder": .folder([:], mode: 0o755)])
    }

    @Test func `queued saves become one commit`() async throws {
        let before = try await world.commits().count
        let (own, others) = try await whileHeld(
            (0..<5).map { ("\($0)", "many/\($0)") },
            { try await $0.save("own", at: "own") })
        #expect(
            try others.map { try $0.get().version } == Array(repeating: own.version + 1, count: 5))
        #expect(try others.allSatisfy { try !$0.get().differs })
        #expect(try await world.commits().count == before + 2)
        try await b.sync()
        for number in 0..<5 { #expect(b.text("many/\(number)") == "\(number)") }
        #expect(try tickets() == [])
        try await world.converge()
    }

    @Test func `each content of one path becomes a version`() async throws {
        let (own, others) = try await whileHeld(
            [("two", "f"), ("three", "f")], { try await $0.save("own", at: "own") })
        let versions = try others.map { try $0.get().version }.sorted()
        #expect(versions == [own.version + 1, own.version + 2])
        try await b.sync()
        #expect(["two", "three"].contains(b.text("f")))
    }

    @Test func `one that fails does not stop the others`() async throws {
        let (_, others) = try await whileHeld(
            [("x", "folder"), ("y", "f/below"), ("z", "good")],
            { try await $0.save("own", at: "own") })
        let codes = others.map { outcome -> Failure.Code? in
            if case .failure(let failure as Failure) = outcome { failure.code } else { nil }
        }
        #expect(codes[0] == .exists)
        #expect(codes[1] != nil)
        #expect(codes[2] == nil)
        #expect(a.text("good") == "z")
        #expect(a.text("f") == "one")
    }

    @Test func `a conflict copy is reported to the request of its path`() async throws {
        try await b.save("theirs", at: "f")
        let (_, others) = try await whileHeld(
            [("mine", "f"), ("x", "other")], { try await $0.save("own", at: "own") })
        let reports = try others.map { try $0.get() }
        #expect(reports.map(\.sync.copies.count) == [1, 0])
        try await world.converge()
    }

    @Test func `pending saves are reported as such`() async throws {
        world.remote.isAway = true
        let (own, others) = try await whileHeld(
            [("x", "x"), ("y", "y")], { try await $0.save("own", at: "own") })
        let reports = try [own] + others.map { try $0.get() }
        #expect(reports.map(\.version) == [0, 0, 0])
        #expect(reports.allSatisfy { $0.sync.away?.code == .away })
        world.remote.isAway = false
        try await a.sync()
        try await b.sync()
        #expect(b.text("y") == "y")
    }

    @Test func `a request that times out has saved nothing`() async throws {
        var impatient = a
        impatient.options.lockWait = .milliseconds(50)
        let holder = try await Replica.open(a.options, writable: true)
        let failure = await #expect(throws: Failure.self) {
            try await impatient.saveShared("x", at: "x")
        }
        #expect(failure?.code == .busy)
        _ = try await holder.save("own", at: "own")
        await holder.close()
        #expect(a.text("x") == nil)
        #expect(try tickets() == [])
    }

    @Test func `requests of a killed process are not carried out`() async throws {
        try TreeFixture([
            "saves": .folder(
                [
                    "dead-0": .folder(
                        ["content": .file("x"), "request": .file("78 420 0")], mode: 0o700)
                ], mode: 0o700)
        ]).write(to: a.at(".filesinki"))
        #expect(try tickets() == ["dead-0"])
        try await a.save("own", at: "own")
        #expect(a.text("x") == nil)
        #expect(try tickets() == [])
    }

    @Test func `a request that a killed process had begun for another is completed by the other`()
        async throws
    {
        let (_, others) = try await whileHeld(
            [("x", "x")],
            { _ in
                for name in try tickets() {
                    let folder = a.at(".filesinki/saves/\(name)")
                    #expect(rename("\(folder)/request", "\(folder)/claimed") == 0)
                }
            })
        #expect(try others[0].get().version == 2)
        #expect(a.text("x") == "x")
    }

    /// Lets saves wait while the replica is held, and then the holder do something.
    private func whileHeld<Answer: Sendable>(
        _ saves: [(text: String, path: String)],
        _ body: (Replica) async throws -> Answer
    ) async throws -> (Answer, [Result<SaveReport, any Error>]) {
        let holder = try await Replica.open(a.options, writable: true)
        let waiting = saves.map { save in
            Task { [a] in try await a.saveShared(save.text, at: save.path) }
        }
        while try tickets().filter({ access(a.at(".filesinki/saves/\($0)/request"), F_OK) == 0 })
            .count
            < saves.count
        {
            await Task.yield()
        }
        let answer = try await body(holder)
        await holder.close()
        var results: [Result<SaveReport, any Error>] = []
        for task in waiting { results.append(await task.result) }
        return (answer, results)
    }

    /// The folders in which processes wait.
    private func tickets() throws -> [String] {
        guard let folder = opendir(a.at(".filesinki/saves")) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}

extension Machine {
    /// As ``save(_:at:ifVersion:)``, but another running process may carry it out.
    fileprivate func saveShared(_ text: String, at path: String) async throws -> SaveReport {
        let replica = try await Replica.openToSave(options)
        let outcome = await Task { try await replica.save(text, at: path) }.result
        await replica.close()
        return try outcome.get()
    }
}

extension Replica {
    fileprivate func save(_ text: String, at path: String) async throws -> SaveReport {
        try await save(try RelativePath(path), SaveOptions()) { give in
            var text = text
            try text.withUTF8 { try give(UnsafeRawBufferPointer($0)) }
        }
    }
}
