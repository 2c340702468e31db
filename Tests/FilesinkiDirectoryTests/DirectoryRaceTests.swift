import FilesinkiDirectory
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@Suite struct DirectoryRaceTests {
    @Test(
        "FI-11 16 writers race for each slot while a reader watches",
        arguments: [
            (rounds: 200, inMemory: true), (rounds: 20, inMemory: false),
        ])
    func race(rounds: Int, inMemory: Bool) async throws {
        let folder = try TemporaryFolder(inMemory: inMemory)
        let path = folder.path
        let probe = SlotProbe(
            systemContext: ManualClock().systemContext, writers: 16, rounds: rounds
        ) { DirectoryRemote(path: path) }
        let report = try await probe.testRemote()
        #expect(report.isFit, "\(report)")
        #expect(try TreeFixture.read(folder.path) == [:], "the probe leaves nothing behind")
    }

    @Test func `FI-11 8 devices that append to one log at once lose nothing`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.path
        let writers = 8
        let each = 25
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    let remote = DirectoryRemote(path: path)
                    var number = 0
                    for commit in 0..<each {
                        let bytes = Array("\(writer) \(commit)".utf8)
                        repeat {
                            number += 1
                        } while try await remote.publish(bytes, to: slot(number)) != .mine
                    }
                }
            }
            try await group.waitForAll()
        }
        let remote = DirectoryRemote(path: path)
        var found: Set<[UInt8]> = []
        for number in 1...(writers * each) {
            found.insert(try #require(try await remote.get(slot(number), range: nil)))
        }
        #expect(found.count == writers * each)
        #expect(try await remote.get(slot(writers * each + 1), range: nil) == nil)
    }

    @Test func `a folder that another device removes during a write is made again`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.path
        let removing = Task {
            while !Task.isCancelled {
                let remote = DirectoryRemote(path: path)
                try await remote.put([1], to: ObjectKey("a/b/c/d/other"))
                try await remote.delete(ObjectKey("a/b/c/d/other"))
            }
        }
        let remote = DirectoryRemote(path: path)
        for _ in 0..<600 {
            try await remote.put([1], to: ObjectKey("a/b/c/d/own"))
            try await remote.delete(ObjectKey("a/b/c/d/own"))
        }
        removing.cancel()
        try? await removing.value
    }

    @Test func `wait ends when another instance publishes, not at an unfinished name`() async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.path
        let remote = DirectoryRemote(path: path)
        for prefix in ["zones/main/log/", ""] {
            let waiting = Task {
                try await remote.wait(prefix: prefix, timeout: .seconds(600))
                return true
            }
            let writing = Task {
                var number = 0
                while !Task.isCancelled {
                    number += 1
                    _ = try await DirectoryRemote(path: path).publish([1], to: slot(number))
                    _ = try await DirectoryRemote(path: path).put(
                        [1], to: ObjectKey("a\(number)/b"))
                }
            }
            // The time limit of the test run is the judge: ten minutes otherwise.
            #expect(try await waiting.value)
            writing.cancel()
            try? await writing.value
        }
    }
}

func slot(_ number: Int) throws -> ObjectKey {
    let digits = String(number)
    return try ObjectKey(
        "zones/main/log/\(String(repeating: "0", count: 20 - digits.count))\(digits)/c")
}
