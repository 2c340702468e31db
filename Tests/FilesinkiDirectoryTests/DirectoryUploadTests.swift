import FilesinkiDirectory
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Glibc
import Testing

/// Uploads in pieces, and what else a server asks of a folder.
@Suite struct DirectoryUploadTests {
    let folder: TemporaryFolder
    let remote: DirectoryRemote
    let name = String(repeating: "0a", count: 16)

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        remote = DirectoryRemote(path: folder.path)
    }

    private func list() async throws -> [String] {
        try await remote.list(prefix: "", after: nil, limit: 99).map(\.key.description)
    }

    @Test func `an upload is invisible until it is stored`() async throws {
        let key = try ObjectKey("packs/a")
        let upload = try await remote.stage(nil)
        try await upload.append([1, 2])
        try await upload.append([3])
        #expect(try await list() == [])
        #expect(try await remote.usedBytes() == 3)
        #expect(try await upload.store(at: key))
        #expect(try await remote.get(key, range: nil) == [1, 2, 3])
        await #expect(throws: Failure.self) { try await upload.append([4]) }
        #expect(try await remote.usedBytes() == 3)
    }

    @Test(
        "E5.1 equal bytes change nothing, other bytes are rejected, and neither leaves a file behind"
    )
    func taken() async throws {
        let key = try ObjectKey("packs/a")
        try await remote.put([1, 2], to: key)
        for name in [nil, self.name] {
            for bytes in [[1, 2], [1, 3], [1], []] as [[UInt8]] {
                let upload = try await remote.stage(name)
                try await upload.append(bytes)
                if bytes == [1, 2] {
                    #expect(try await upload.store(at: key) == false)
                } else {
                    let failure = await #expect(throws: Failure.self) {
                        _ = try await upload.store(at: key)
                    }
                    #expect(failure?.code == .exists)
                }
            }
        }
        #expect(try await remote.get(key, range: nil) == [1, 2])
        #expect(try await remote.usedBytes() == 2)
    }

    @Test func `an upload without a name is removed with its writer, one with a name stays`()
        async throws
    {
        for name in [nil, self.name] {
            let upload = try await remote.stage(name)
            try await upload.append([1, 2, 3])
        }
        #expect(try await remote.stagedBytes(name) == 3)
        #expect(try await remote.usedBytes() == 3)
        let upload = try await remote.stage(name, offset: 2)
        try await upload.append([9])
        #expect(try await upload.read(from: 0, count: 9) == [1, 2, 9])
        #expect(try await upload.store(at: ObjectKey("a")))
        #expect(try await remote.stagedBytes(name) == nil)
    }

    @Test func `a continuation after the end is refused`() async throws {
        let failure = await #expect(throws: Failure.self) {
            try await remote.stage(name, offset: 1)
        }
        #expect(failure?.code == .differs)
    }

    @Test func `two writers cannot continue one upload, unless the first was ended`() async throws {
        let first = try await remote.stage(name)
        try await first.append([1])
        let failure = await #expect(throws: Failure.self) { try await remote.stage(name) }
        #expect(failure?.code == .busy)
        #expect(first.end())
        await #expect(throws: Failure.self) { try await first.append([2]) }
        await #expect(throws: Failure.self) { try await first.store(at: ObjectKey("a")) }
        let second = try await remote.stage(name, offset: 1)
        try await second.append([3])
        #expect(try await second.store(at: ObjectKey("a")))
        #expect(!second.end())
        #expect(try await remote.get(ObjectKey("a"), range: nil) == [1, 3])
        withExtendedLifetime(first) {}
    }

    @Test func `of uploads and plain writers exactly one fills a slot`() async throws {
        for round in 0..<50 {
            let slot = try ObjectKey("log/\(round)/c")
            let winners = try await withThrowingTaskGroup(of: Int?.self) { group in
                for writer in 0..<8 {
                    let bytes = [UInt8](repeating: UInt8(writer), count: 100 + writer)
                    group.addTask { [remote] in
                        guard writer.isMultiple(of: 2) else {
                            return try await remote.publish(bytes, to: slot) == .mine ? writer : nil
                        }
                        let upload = try await remote.stage(nil)
                        try await upload.append(bytes)
                        return try await upload.publish(to: slot) ? writer : nil
                    }
                }
                return try await group.reduce(into: [Int]()) { winners, winner in
                    if let winner { winners.append(winner) }
                }
            }
            #expect(winners.count == 1, "round \(round): \(winners)")
            let there = try await remote.get(slot, range: nil)
            #expect(there?.first.map { Int($0) } == winners.first)
        }
        #expect(try await list().count == 50)
    }

    @Test("E5.1 of concurrent uploads of different bytes, one fills the key")
    func endingAtOnce() async throws {
        for round in 0..<50 {
            let key = try ObjectKey("packs/\(round)")
            var uploads: [StagedUpload] = []
            for number in 0..<8 as Range<UInt8> {
                let upload = try await remote.stage(nil)
                try await upload.append([number])
                uploads.append(upload)
            }
            let winners = await withTaskGroup(of: StagedUpload?.self) { group in
                for upload in uploads {
                    group.addTask { (try? await upload.store(at: key)) == true ? upload : nil }
                }
                return await group.reduce(into: [StagedUpload]()) { winners, winner in
                    if let winner { winners.append(winner) }
                }
            }
            #expect(winners.count == 1, "round \(round)")
            let winner = uploads.firstIndex { $0 === winners.first }
            #expect(try await remote.get(key, range: nil)?.first.map { Int($0) } == winner)
        }
    }

    @Test func `objects are read in pieces, and a stamp distinguishes them`() async throws {
        let key = try ObjectKey("a")
        try await remote.put(Array(0..<100), to: key)
        let object = try #require(try await remote.open(key))
        #expect(object.size == 100)
        #expect(try await object.read(from: 98, count: 9) == [98, 99])
        #expect(try await remote.open(key)?.entityTag == object.entityTag)
        try await remote.put(Array(1..<101), to: key)
        #expect(try await remote.open(key)?.entityTag != object.entityTag)
        #expect(try await object.read(from: 0, count: 2) == [0, 1])
        #expect(try await remote.open(ObjectKey("b")) == nil)
        #expect(
            try await remote.has([key, ObjectKey("b"), ObjectKey("a/x")]) == [true, false, false])
    }

    @Test func `several are examined within a budget`() async throws {
        let keys = try ["a", "none", "b", "large", "c"].map { try ObjectKey($0) }
        for key in [keys[0], keys[2], keys[4]] { try await remote.put([1, 2], to: key) }
        try await remote.put([UInt8](repeating: 0, count: 50), to: keys[3])
        func kinds(_ budget: Int, untilAbsent: Bool = false) async throws -> String {
            try await remote.readBatch(keys, small: 10, budget: budget, untilAbsent: untilAbsent)
                .map { look in
                    switch look {
                    case .absent: "-"
                    case .bytes: "b"
                    case .large: "l"
                    }
                }.joined()
        }
        #expect(try await kinds(100) == "b-blb")
        #expect(try await kinds(3) == "b-b")
        #expect(try await kinds(1) == "b")
        #expect(try await kinds(100, untilAbsent: true) == "b-")
    }

    @Test func `a lasting watch reports every change`() async throws {
        // Records at each change which of the slots exist.
        let (sights, continuation) = AsyncStream<Int>.makeStream()
        try await remote.put([1], to: ObjectKey("log/0/c"))
        let path = folder.path
        let first = try remote.beginWatch(prefix: "log/")
        // A change before the first wait is reported, too.
        _ = try await remote.publish([1], to: ObjectKey("log/first/c"))
        let watching = Task { [remote] in
            try await remote.watch(first, prefix: "log/") {
                let last = (1...20).last { access("\(path)/log/\($0)/c", F_OK) == 0 }
                continuation.yield(last ?? 0)
            }
        }
        var seen = sights.makeAsyncIterator()
        #expect(await seen.next() == 0)
        for number in 1...20 {
            _ = try await remote.publish([1], to: ObjectKey("log/\(number)/c"))
            while let last = await seen.next(), last < number {}
        }
        watching.cancel()
        await #expect(throws: CancellationError.self) { try await watching.value }
    }
}
