import FilesinkiHashing
import FilesinkiModel
import FilesinkiStore
import FilesinkiSystem
import Testing

@testable import FilesinkiEngine

@Suite struct UploadQueueTests {
    @Test(
        "files are handed out in batches of so many bytes, at least one file in each",
        arguments: [
            (10, [[4, 6], [1, 9], [11], [2]]), (9, [[4], [6, 1], [9], [11], [2]]),
            (100, [[4, 6, 1, 9, 11, 2]]), (0, [[4], [6], [1], [9], [11], [2]]),
        ] as [(Int64, [[Int64]])])
    func batches(_ bytes: Int64, _ expected: [[Int64]]) throws {
        let queue = UploadQueue(
            try [4, 6, 1, 9, 11, 2].map { .init(path: try RelativePath("\($0)"), size: $0) })
        var found: [[Int64]] = []
        while let batch = queue.next(bytes: bytes) { found.append(batch.map(\.size)) }
        #expect(found == expected)
        #expect(UploadQueue([]).next(bytes: 1) == nil)
    }

    @Test func `the results of two workers are one`() throws {
        let path = try RelativePath("p")
        let stamp = try #require(FileStamp(at: "/", followingSymlinks: false))
        let file = UploadResult.File(
            path: path, entry: .tombstone, stamp: stamp, isSettled: true, isLive: false)
        let failure = Failure(.io, path: "p", "It failed.", remedy: "Run again.")
        var part = UploadResult()
        part.files = [file]
        part.problems = [Problem(path, failure)]
        part.vanished = [path]
        part.inline = [InlineContent(id: ContentHasher.hash([1]), bytes: [1])]
        part.packs = [PackReference(id: [1], size: 2, indexHash: ContentHasher.hash([3]))]
        var all = part
        all.add(part)
        #expect(all.files.count == 2 && all.problems.count == 2 && all.vanished.count == 2)
        #expect(all.inline.count == 2 && all.packs.count == 2)
    }

    @Test func `a content and a chunk are each claimed once`() {
        let queue = UploadQueue([])
        let content = ContentHasher.hash([1])
        #expect(queue.claim(content) && queue.claim(chunk: content))
        #expect(!queue.claim(content) && !queue.claim(chunk: content))
    }
}
