import FilesinkiHashing
import FilesinkiModel
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Synchronization
import Testing

@testable import FilesinkiItems

/// The bytes of assets that wait on this device.
@Suite("Folders of assets")
struct AssetFolderTests {
    let temporary: TemporaryFolder
    let folder: AssetFolder

    init() throws {
        temporary = try TemporaryFolder(inMemory: true)
        folder = AssetFolder(path: temporary.path("state/box.assets"))
    }

    private var names: [String] {
        let tree = try? TreeFixture.read(folder.path)
        return (tree?.nodes.keys.map { String(decoding: $0.bytes, as: UTF8.self) } ?? []).sorted()
    }

    private func stage(_ bytes: [UInt8], chance: UInt8 = 1) throws -> StagedAsset {
        let staged = try folder.stage([chance])
        // In two pieces.
        for piece in [bytes.prefix(1), bytes.dropFirst()] {
            try piece.withUnsafeBytes { try staged.write($0) }
        }
        return staged
    }

    @discardableResult
    private func install(_ bytes: [UInt8]) throws -> ContentID {
        let staged = try stage(bytes)
        let content = try staged.finish().content
        try staged.install()
        return content
    }

    @Test func `a file has its name once it is installed, and its bytes are found by that`() throws
    {
        let bytes: [UInt8] = [1, 2, 3]
        let content = ContentHasher.hash(bytes)
        var staged: StagedAsset? = try stage(bytes)
        #expect(names == ["01.new"])
        let finished = try #require(try staged?.finish())
        #expect(finished.content == content && finished.size == 3)
        #expect(try staged?.finish().content == content)
        #expect(try folder.open(content) == nil)
        try staged?.install()
        try staged?.install()
        #expect(names == ["\(content)"])
        staged = nil
        #expect(try folder.open(content)?.read(upTo: 10) == bytes)
        folder.remove(content)
        #expect(try folder.open(content) == nil && names == [])
    }

    @Test func `what is not installed leaves nothing`() throws {
        for isFinished in [false, true] {
            let staged = try stage([1])
            if isFinished { _ = try staged.finish() }
            withExtendedLifetime(staged) { #expect(names == ["01.new"]) }
        }
        #expect(names == [])
    }

    @Test func `bytes that are not complete get no name`() throws {
        let staged = try stage([1])
        try staged.install()
        #expect(names == ["01.new"])
        #expect(!staged.isOne(of: [ContentHasher.hash([1])]))
        _ = try staged.finish()
        #expect(staged.isOne(of: [ContentHasher.hash([1]), .none]))
        #expect(!staged.isOne(of: [.none]))
    }

    @Test func `what was written is read from its beginning on`() throws {
        let staged = try stage([1, 2, 3, 4, 5])
        #expect(try staged.read(upTo: 2) == [1, 2])
        #expect(try staged.read(upTo: 2) == [3, 4])
        #expect(try staged.read(upTo: 2) == [5])
        #expect(try staged.read(upTo: 2) == [])
    }

    @Test func `a name that is taken, or a symlink in its place, is not written through`() throws {
        try install([9])
        try TreeFixture(["01.new": .symlink("../kept"), "02.new": .file("other")])
            .write(to: folder.path)
        for chance in [1, 2] as [UInt8] {
            let failure = #expect(throws: Failure.self) { try folder.stage([chance]) }
            #expect(failure?.code == .io)
            #expect(failure?.path == Array("\(folder.path)/0\(chance).new".utf8))
            #expect(failure?.message == "Cannot create the file: file exists.")
        }
    }

    @Test func `an asset whose place has a symlink is an error, and not what it leads to`() throws {
        let content = try install([9])
        folder.remove(content)
        symlink("/dev/null", folder.file(of: content))
        let failure = #expect(throws: Failure.self) { try folder.open(content) }
        #expect(failure?.code == .io)
        #expect(failure?.path == Array(folder.file(of: content).utf8))
    }

    // MARK: Sweeping

    @Test func `a sweep leaves what is named, what is written, and what is not ours`() throws {
        let (kept, gone) = (try install([1]), try install([2]))
        let tree: TreeFixture = [
            "dead.new": .file("x"), "notes": .file("x"), "link.new": .symlink("notes"),
            "folder.new": .directory(),
        ]
        try tree.write(to: folder.path)
        let living = try stage([3], chance: 0xAB)
        try folder.sweep { $0 == kept }
        #expect(names == ["\(kept)", "ab.new", "folder.new", "link.new", "notes"].sorted())
        #expect(try folder.open(gone) == nil)
        _ = try living.finish()
        try living.install()
        #expect(try folder.open(ContentHasher.hash([3])) != nil)
    }

    @Test func `a sweep that cannot find out what is named removes nothing`() throws {
        let content = try install([1])
        #expect(throws: Failure.self) {
            try folder.sweep { _ throws(Failure) in throw Failure(.io, "It broke.", remedy: "") }
        }
        #expect(names == ["\(content)"])
        // Without a folder there is nothing to do.
        try AssetFolder(path: temporary.path("none")).sweep { _ in false }
    }

    // MARK: Keeping

    @Test
    func `assets are kept under further names, also twice, and those that are not here are not`()
        throws
    {
        let content = try install([1])
        let (other, place) = (ContentHasher.hash([2]), temporary.path("kept/now"))
        #expect(try folder.keep([other], in: place) == [:])
        #expect(access(place, F_OK) != 0)
        for _ in 0..<2 {
            #expect(
                try folder.keep([other, content], in: place) == [content: "\(place)/\(content)"])
        }
        folder.remove(content)
        let kept = AssetFolder(path: place)
        #expect(try kept.open(content)?.read(upTo: 9) == [1])
    }

    @Test func `an asset that cannot be kept is a failure with the path of its new name`() throws {
        let content = try install([1])
        try TreeFixture(["file": .file("x")]).write(to: temporary.path)
        let failure = #expect(throws: Failure.self) {
            try folder.keep([content], in: temporary.path("file"))
        }
        #expect(failure?.code == .io)
        #expect(failure?.path == Array("\(temporary.path("file"))/\(content)".utf8))
        #expect(failure?.message == "Cannot create the file: not a directory.")
    }
}

/// How far an upload of assets is.
@Suite("Meters of assets")
struct AssetMeterTests {
    private static let mebibyte = 1 << 20

    private func asset(_ byte: UInt8, size: Int) -> ItemAsset {
        ItemAsset(ContentHasher.hash([byte]), size: Int64(size), place: "pin")
    }

    @Test func `progress is told after each 4 MiB of a long asset, and at the end of each`() {
        let told = Mutex<[[Int64]]>([])
        let assets = [asset(1, size: 9 * Self.mebibyte), asset(2, size: 1)]
        let meter = AssetMeter(assets) { progress in
            told.withLock {
                $0.append([
                    Int64(progress.assets), Int64(progress.totalAssets), progress.bytes,
                    progress.totalBytes,
                ])
            }
        }
        let total = Int64(9 * Self.mebibyte + 1)
        func count(_ bytes: Int) -> [[Int64]] {
            told.withLock { $0 = [] }
            #expect(meter.counted([UInt8](repeating: 0, count: bytes)).count == bytes)
            return told.withLock { $0 }
        }
        #expect(count(4 * Self.mebibyte - 1) == [])
        #expect(count(1) == [[0, 2, 4 << 20, total]])
        // From what was told on, not from the last multiple.
        #expect(count(3 * Self.mebibyte) == [])
        #expect(count(Self.mebibyte) == [[0, 2, 8 << 20, total]])
        told.withLock { $0 = [] }
        // What was not sent, as the store has it, counts as done, too.
        meter.end(assets[0])
        meter.end(assets[1])
        #expect(told.withLock { $0 } == [[1, 2, 9 << 20, total], [2, 2, total, total]])
    }
}
