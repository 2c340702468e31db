import FilesinkiCompression
import FilesinkiManifest
import FilesinkiModel
import FilesinkiStore

/// Chooses packs whose blocks are worth to be compressed again, with xz in the place of zstd.
///
/// xz takes a hundred times as long, and its blocks are read ten times as slowly. So only what all devices have read is
/// compressed with it: packs that were named by commits which every device has acknowledged, or published after.
struct Recompression: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// A pack is compressed again if xz saves this part of a block of it, at least.
    private static let worthwhilePart = 0.05
    /// So many packs are tried for the estimate of a dry run.
    private static let samples = 16

    /// Adds the packs that xz may save something of.
    func add(
        to plan: inout PrunePlan, _ shares: [PackShare], _ log: LogCheck,
        _ connection: ZoneConnection
    ) async throws {
        let published = log.view.authors.items
        let own = try manifest.token?.sequence ?? 0
        let read =
            try await connection.devices.all().map { [config] known -> UInt64 in
                let isOwn = known.device.id == config.device.id
                let position = max(
                    known.token.sequence, published[known.device.id]?.sequence ?? 0)
                return isOwn ? max(position, own) : position
            }
            .min() ?? 0
        let cold = Set(log.view.packs.lazy.filter { $0.sequence <= read }.map(\.pack.id))
        let chosen = plan.staying(of: shares).filter {
            $0.mayRecompress && cold.contains($0.pack.id)
        }
        guard !chosen.isEmpty else { return }
        let cache = IndexFolder(path: state.indexes)
        let step = max(1, chosen.count / Self.samples)
        var ratios: [Double] = []
        for index in stride(from: 0, to: chosen.count, by: step) {
            let reader = PackReader(
                remote: connection.remote, reference: chosen[index].pack, cache: cache)
            ratios.append(try await Self.saving(of: reader))
        }
        let kept = ratios.map { $0 >= Self.worthwhilePart ? $0 : 0 }
        guard kept.contains(where: { $0 > 0 }) || chosen.count > ratios.count else { return }
        plan.addRecompression(chosen, saving: kept.reduce(0, +) / Double(ratios.count))
    }

    /// Those of some packs of which one block becomes enough smaller.
    static func worthwhile(_ packs: [PackReader]) async throws -> [PackReader] {
        var found: [PackReader] = []
        for pack in packs where try await saving(of: pack) >= worthwhilePart { found.append(pack) }
        return found
    }

    /// The part of its stored bytes that xz saves of the largest block that zstd has compressed; 0 for a damaged one.
    private static func saving(of pack: PackReader) async throws -> Double {
        let index = try await pack.index()
        defer { pack.releaseIndex() }
        let blocks = index.blocks.enumerated().filter { $0.element.codec == .zstd }
        guard
            let (number, block) = blocks.max(by: {
                $0.element.stored.count < $1.element.stored.count
            })
        else { return 0 }
        let plain: [UInt8]
        do { plain = try await pack.readBlock(number) } catch let damage as Failure
            where damage.code == .corrupt
        {
            return 0
        }
        let smaller = try plain.withUnsafeBytes { (bytes) throws(Failure) in
            try XZ.compress(bytes, preset: UnitCopier.preset)
        }
        return max(0, 1 - Double(smaller.count) / Double(block.stored.count))
    }
}
