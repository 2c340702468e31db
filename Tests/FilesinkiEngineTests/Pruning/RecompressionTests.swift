import FilesinkiCompression
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

/// `prune --recompress`: packs that every device has read are compressed with xz.
@Suite("Recompressing packs")
struct RecompressionTests: PruneScene {
    let world: World
    let a: Machine
    let b: Machine

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["k": .file("keep")])
    }

    /// Words at random, which xz compresses better than zstd.
    private func text(_ seed: UInt64, _ count: Int = 900_000) -> TreeFixture.Node {
        var random = SeededRandom(seed: seed)
        let words = (0..<3000).map { _ in
            (0..<Int.random(in: 3...9, using: &random)).map { _ in
                UInt8.random(in: 97...122, using: &random)
            }
        }
        var bytes: [UInt8] = []
        while bytes.count < count {
            // Some words are far more frequent than others.
            let place = Int.random(in: 0..<3000, using: &random)
            bytes += words[place * place / 3000] + [32]
        }
        return .bytes(bytes, mode: 0o644, modified: nil)
    }

    /// The codecs of all blocks in the store.
    private func codecs() async throws -> [Codec] {
        var found: [Codec] = []
        for commit in try await world.commits() {
            for pack in commit.packs where world.store.objects[try .init(pack.keyText)] != nil {
                let index = try await PackReader(remote: world.store, reference: pack).index()
                found += index.blocks.map(\.codec)
            }
        }
        return found
    }

    @Test("text that all devices have read becomes smaller, once; a dry run says about how much")
    func recompressed() async throws {
        try a.write(["t": text(1), "u": text(2)])
        try await a.sync()
        try await acknowledge()
        let before = packBytes
        #expect(try await prune(a).recompressedPacks == 0)
        let dry = try await prune(a, recompresses: true, isDryRun: true)
        #expect(dry.recompressedPacks == 1 && packBytes == before)
        let report = try await prune(a, recompresses: true)
        #expect(report.recompressedPacks == 1 && report.rewrittenPacks == 1)
        #expect(report.freedBytes == Int64(before - packBytes))
        #expect(report.freedBytes > Int64(before / 20))
        #expect(abs(dry.freedBytes - report.freedBytes) < Int64(before / 20))
        #expect(try await codecs().allSatisfy { $0 == .xz })
        try await expectWhole()
        let again = try await prune(a, recompresses: true)
        #expect(again.recompressedPacks == 0 && again.removedPacks == 0)
    }

    @Test("what cannot be compressed, and what a device has not read yet, stays as it is")
    func left() async throws {
        try a.write(["noise": large(1)])
        try await a.sync()
        try await acknowledge()
        try a.write(["t": text(1)])
        try await a.sync()
        let before = world.store.objects
        let report = try await prune(a, recompresses: true)
        #expect(report.recompressedPacks == 0)
        #expect(world.store.objects == before)
        try await acknowledge()
        #expect(try await prune(a, recompresses: true).recompressedPacks == 1)
        try await expectWhole()
    }

    @Test("a dry run announces nothing of packs of which xz saves nothing")
    func notWorthwhile() async throws {
        var random = SeededRandom(seed: 4)
        // Of digits at random both keep four bits each.
        let digits = Array(hexadecimal(random.bytes(300_000)).utf8)
        try a.write(["digits": .bytes(digits, mode: 0o644, modified: nil)])
        try await a.sync()
        try await acknowledge()
        let found = try await codecs()
        #expect(found.contains(.zstd), "\(found)")
        let before = packBytes
        for isDryRun in [true, false] {
            let report = try await prune(a, recompresses: true, isDryRun: isDryRun)
            #expect(report.recompressedPacks == 0 && report.removedPacks == 0)
            #expect(report.freedBytes == 0)
        }
        #expect(packBytes == before)
    }

    @Test("what the device that prunes has read and not acknowledged yet counts as read")
    func read() async throws {
        try a.write(["t": text(1)])
        try await a.sync()
        #expect(try await prune(a, recompresses: true).recompressedPacks == 0)
        try await b.sync()
        #expect(try await prune(b, recompresses: true).recompressedPacks == 1)
        try await expectWhole()
    }

    @Test("a recompression that fails or is killed at any request loses nothing", arguments: 0..<24)
    func interrupted(_ request: Int) async throws {
        try a.write(["t": text(1, 300_000), "g": large(3)])
        try await a.sync()
        try await acknowledge()
        let fault: FaultyRemote.Fault =
            request.isMultiple(of: 2) ? .away(requests: 1) : .after(.away)
        world.remote.plan(FaultyRemote.Script(fault, skip: request / 2 + 4))
        _ = try? await prune(a, recompresses: true)
        world.remote.isAway = false
        try await expectWhole()
        try await prune(b, recompresses: true)
        #expect(try await codecs().contains(.xz))
        try await expectWhole()
    }
}
