import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiModel
import FilesinkiStore
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

@Suite("Sources of contents to upload")
struct ByteSourceTests {
    private let folder: TemporaryFolder
    private let root: RootFolder
    private let path: RelativePath

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        try TreeFixture(["root": .directory(["f": .file("in the root")])]).write(to: folder.path)
        root = try RootFolder(path: folder.path("root"))
        path = try RelativePath("f")
    }

    private func text(_ source: some ByteSource) throws -> String {
        let read = try source.read(path, limit: 100)
        #expect(read.content == ContentHasher.hash(read.bytes))
        return String(decoding: read.bytes, as: UTF8.self)
    }

    private func stage(_ bytes: [UInt8], kept: Bool = true) throws -> StagedContent {
        let file = try Staging(root: root, folder: folder.path("staging")).makeFile()
        try bytes.withUnsafeBytes { try file.write($0) }
        try file.finish(mode: 0o644, modified: Timestamp(nanoseconds: 0), sync: false)
        return StagedContent(
            file: file, content: ContentHasher.hash(bytes), bytes: kept ? bytes : nil)
    }

    /// The root after a save of `saved`; what is in memory differs from the file, so that a test sees which
    /// of both was read.
    private func rootAfterSave(_ saved: String) throws -> RootAfterSave {
        let bytes = Array(saved.utf8)
        let stamp = try #require(try root.status(path)).stamp
        return RootAfterSave(
            root: root,
            installed: InstalledContent(
                path: path, content: ContentHasher.hash(bytes), bytes: bytes, stamp: stamp))
    }

    @Test func `a content that was just installed is not read again`() throws {
        #expect(try text(rootAfterSave("in memory")) == "in memory")
    }

    @Test func `a file that was edited after it was installed is read`() throws {
        let source = try rootAfterSave("in memory")
        try TreeFixture(["f": .file("edited")]).write(to: folder.path("root"))
        #expect(try text(source) == "edited")
    }

    @Test func `other files of the root are read`() throws {
        var installed = try rootAfterSave("in memory").installed
        installed = InstalledContent(
            path: try RelativePath("other"), content: installed.content, bytes: installed.bytes,
            stamp: installed.stamp)
        #expect(try text(RootAfterSave(root: root, installed: installed)) == "in the root")
    }

    @Test func `a small staged content is in memory, a large one is read once`() throws {
        #expect(try text(stage(Array("staged".utf8))) == "staged")
        let large = [UInt8](repeating: 7, count: StagedContent.keptBytes + 1)
        let staged = try stage(large, kept: false)
        #expect(throws: Failure.self) { try staged.read(path, limit: .max) }
        #expect(staged.knownContent(path) == ContentHasher.hash(large))
        let reader = try staged.reader(path)
        var read: [UInt8] = []
        while let piece = try reader.next() { read += piece }
        #expect(read == large)
        #expect(try reader.finish().stamp.size == Int64(large.count))
    }

    @Test func `a chunked content has the id that its source knows`() {
        let bytes = [UInt8](repeating: 7, count: StagedContent.keptBytes + 1)
        var hashed = ChunkedContent()
        var known = ChunkedContent(known: ContentHasher.hash(bytes))
        #expect(hashed.add(bytes).map(\.id) == known.add(bytes).map(\.id))
        _ = (hashed.finish(), known.finish())
        #expect(hashed.content == known.content)
        #expect(hashed.parts == known.parts)
    }
}
