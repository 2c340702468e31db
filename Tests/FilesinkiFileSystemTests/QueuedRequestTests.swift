import FilesinkiHashing
import FilesinkiModel
import Glibc
import Testing

@testable import FilesinkiFileSystem

/// Requests that one process makes and another one carries out.
@Suite struct QueuedRequestTests {
    let tree: TemporaryTree
    let place: String

    init() throws {
        tree = try TemporaryTree()
        place = tree.base + "/queue"
    }

    private func accept(_ wanted: String = "save") -> [AcceptedRequest] {
        AcceptedRequest.acceptAll(in: place) { $0 == Array(wanted.utf8) }
    }

    @Test func `another process carries out a request and answers it`() throws {
        let request = try QueuedRequest.create(in: place, name: "r")
        let content = try request.writeContent { write in
            for piece in ["con", "tent"] { try Array(piece.utf8).withUnsafeBytes(write) }
        }
        #expect(content == ContentHasher.hash(Array("content".utf8)))
        #expect(accept().isEmpty)
        try request.submit(Array("save".utf8))
        #expect(accept("another").isEmpty)
        let accepted = try #require(accept().first)
        #expect(accepted.request == Array("save".utf8))
        var bytes: [UInt8] = []
        try request.readContent { bytes += $0 }
        #expect(bytes == Array("content".utf8))
        #expect(accepted.content == place + "/r-0/content")
        #expect(try request.response() == nil)
        try accepted.respond([1, 2])
        #expect(try request.response() == [1, 2])
    }

    @Test func `a request is accepted once, and cannot be withdrawn afterwards`() throws {
        let request = try QueuedRequest.create(in: place, name: "r")
        try request.submit(Array("save".utf8))
        #expect(accept().count == 1)
        #expect(accept().isEmpty)
        #expect(!request.withdraw())
    }

    @Test func `a request that was withdrawn is not carried out`() throws {
        let request = try QueuedRequest.create(in: place, name: "r")
        try request.submit(Array("save".utf8))
        #expect(request.withdraw())
        #expect(accept().isEmpty)
    }

    @Test func `two requests of one name are two, in the order of their names`() throws {
        let first = try QueuedRequest.create(in: place, name: "r")
        let second = try QueuedRequest.create(in: place, name: "r")
        for request in [second, first] { try request.submit(Array("save".utf8)) }
        #expect(accept().map(\.content) == [0, 1].map { "\(place)/r-\($0)/content" })
    }

    @Test func `the content is written once`() throws {
        let request = try QueuedRequest.create(in: place, name: "r")
        _ = try request.writeContent { _ in }
        #expect(throws: Failure.self) { try request.writeContent { _ in } }
    }

    @Test func `a request ends with its process`() throws {
        do {
            let request = try QueuedRequest.create(in: place, name: "r")
            try request.submit(Array("save".utf8))
            _ = try request.writeContent { _ in }
            #expect(try TemporaryTree.names(place) == ["r-0"])
        }
        #expect(try TemporaryTree.names(place).isEmpty)
        // A killed process leaves its folder, without the lock.
        #expect(mkdir(place + "/k-0", 0o700) == 0)
        for name in ["request", "content", "claimed", "response"] {
            try TemporaryTree.write(Array("save".utf8), absolute: "\(place)/k-0/\(name)")
        }
        #expect(accept().isEmpty)
        #expect(try TemporaryTree.names(place).isEmpty)
    }

    @Test func `without a queue there are no requests`() { #expect(accept().isEmpty) }
}
