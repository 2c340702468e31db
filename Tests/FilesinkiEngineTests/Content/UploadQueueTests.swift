import FilesinkiHashing
import FilesinkiModel
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

    @Test func `a content and a chunk are each claimed once`() {
        let queue = UploadQueue([])
        let content = ContentHasher.hash([1])
        #expect(queue.claim(content) && queue.claim(chunk: content))
        #expect(!queue.claim(content) && !queue.claim(chunk: content))
    }
}
