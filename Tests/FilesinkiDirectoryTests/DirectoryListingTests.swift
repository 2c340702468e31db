import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiDirectory

/// Pages of folders that hold more names than a page has objects.
@Suite struct DirectoryListingTests {
    let folder: TemporaryFolder
    let remote: DirectoryRemote

    init() throws {
        folder = try TemporaryFolder()
        remote = DirectoryRemote(path: folder.path)
    }

    /// All keys below a prefix, page by page.
    private func keys(below prefix: String, limit: Int) async throws -> [String] {
        var found: [String] = []
        var last: ObjectKey?
        while true {
            let page = try await remote.list(prefix: prefix, after: last, limit: limit)
            #expect(page.count <= limit)
            found += page.map(\.key.description)
            guard let end = page.last?.key else { return found }
            last = end
        }
    }

    @Test(arguments: [1, 999, 1000, 1001, 2500, 9999])
    func `the pages of a folder with many slots hold each of them once, in order`(
        limit: Int
    ) async throws {
        var log: TreeFixture = [:]
        var wanted: [String] = []
        // Most slots are empty, so that a page needs names of several readings.
        for number in 1...2500 {
            let name = String(10_000 + number)
            let isFilled = limit > 1 || number % 700 == 0
            log[.init(Array(name.utf8))] = .directory(isFilled ? ["c": .file("x")] : [:])
            if isFilled { wanted.append("log/\(name)/c") }
        }
        try (["log": .directory(log)] as TreeFixture).write(to: folder.path)
        #expect(try await keys(below: "log/", limit: limit) == wanted)
        #expect(try await keys(below: "", limit: limit) == wanted)
    }

    @Test func `a slot behind a thousand empty ones is found`() async throws {
        var log: TreeFixture = [:]
        for number in 1...2100 {
            log[.init(Array(String(10_000 + number).utf8))] = .directory([:])
        }
        log["19999"] = .directory(["c": .file("x")])
        try (["log": .directory(log)] as TreeFixture).write(to: folder.path)
        #expect(try await keys(below: "log/", limit: 1) == ["log/19999/c"])
    }

    @Test func `a folder sorts as its name with a slash, on every page`() async throws {
        let tree: TreeFixture = [
            "a": .directory(["c": .file("x")]), "a-b": .file("x"), "a.b": .file("x"),
            "a0": .file("x"),
        ]
        try tree.write(to: folder.path)
        let wanted = ["a-b", "a.b", "a/c", "a0"]
        for limit in 1...5 { #expect(try await keys(below: "", limit: limit) == wanted) }
    }

    @Test func `the stamp of a folder changes with its names, and with nothing else`() async throws
    {
        func stamp() async throws -> FolderStamp? {
            try await remote.stamp(ofFolder: "zones/files/checkpoints/")
        }
        func slot(_ name: String) throws -> ObjectKey {
            try ObjectKey("zones/files/checkpoints/\(name)/c")
        }
        #expect(try await stamp() == nil)
        _ = try await remote.publish([1], to: slot("1"))
        let first = try #require(try await stamp())
        _ = try await remote.publish([1], to: ObjectKey("zones/files/log/1/c"))
        _ = try await remote.list(prefix: "zones/", after: nil, limit: 10)
        #expect(try await stamp() == first)
        _ = try await remote.publish([1], to: slot("2"))
        let second = try #require(try await stamp())
        #expect(second != first)
        try await remote.delete(slot("1"))
        let third = try #require(try await stamp())
        #expect(![first, second].contains(third))
        try await remote.delete(slot("2"))
        #expect(try await stamp() == nil)
    }
}
