import FilesinkiModel
import FilesinkiStore

/// Contents that are read together.
enum ContentJob: Sendable {
    /// Some contents of one block of a pack, by the block's place in a shipment.
    case block(BlockBatchRead, Int, [Member])
    /// Contents that travel inside commits, by the commits' numbers.
    case commits([UInt64: [ContentID]])
    /// A content of its own: in memory, of many chunks, or nowhere.
    case single(ContentID)

    /// A content of a block, and where in it.
    struct Member: Sendable {
        let content: ContentID
        let place: PackMember
    }

    var contents: [ContentID] {
        switch self {
        case .block(_, _, let members): members.map(\.content)
        case .commits(let commits): commits.values.flatMap(\.self)
        case .single(let content): [content]
        }
    }
}

/// Contents in the order in which they lie in the store, so that all are read with few requests:
/// each block and each commit once, many with each request.
struct ContentPlan {
    private(set) var jobs: [ContentJob] = []

    /// - Parameter wanted: Each once.
    init(_ wanted: some Sequence<ContentID>, _ source: ContentSource) async throws {
        var blocks: [BlockPlace: [ContentJob.Member]] = [:]
        var packs: [[UInt8]: PackReader] = [:]
        var commits: [UInt64: [ContentID]] = [:]
        var singles: [ContentID] = []
        var unplaced: [ContentID] = []
        for content in wanted {
            if source.isAtHand(content) {
                singles.append(content)
            } else if let commit = try source.commit(of: content) {
                commits[commit, default: []].append(content)
            } else if let place = try await source.packs.find(content, isLocal: false) {
                guard place.member.kind == .chunk else {
                    singles.append(content)
                    continue
                }
                let block = BlockPlace(pack: place.pack.reference.id, number: place.member.block)
                packs[block.pack] = place.pack
                blocks[block, default: []].append(.init(content: content, place: place.member))
            } else {
                unplaced.append(content)
            }
        }
        try await source.old.search(unplaced)
        for content in unplaced {
            if let commit = try source.commit(of: content) {
                commits[commit, default: []].append(content)
            } else {
                singles.append(content)
            }
        }
        addCommits(commits)
        try await addBlocks(blocks, packs)
        jobs += singles.map(ContentJob.single)
    }

    private mutating func addCommits(_ commits: [UInt64: [ContentID]]) {
        let numbers = commits.keys.sorted()
        for start in stride(from: 0, to: numbers.count, by: CommitLog.maximumBatch) {
            let part = numbers[start..<min(start + CommitLog.maximumBatch, numbers.count)]
            let pairs = part.map { ($0, commits[$0] ?? []) }
            jobs.append(.commits(Dictionary(pairs) { first, _ in first }))
        }
    }

    private mutating func addBlocks(
        _ blocks: [BlockPlace: [ContentJob.Member]], _ packs: [[UInt8]: PackReader]
    ) async throws {
        let places = blocks.keys.sorted()
        let shipments = try await BlockBatchRead.plan(
            places.compactMap { place in
                packs[place.pack].map { .init(pack: $0, number: place.number) }
            })
        var rest = places[...]
        for shipment in shipments {
            for position in 0..<shipment.count {
                guard let members = rest.popFirst().flatMap({ blocks[$0] }) else { return }
                jobs.append(
                    .block(
                        shipment, position, members.sorted { $0.place.offset < $1.place.offset }))
            }
        }
    }
}

/// One block of one pack, ordered by where it lies.
private struct BlockPlace: Hashable, Comparable {
    let pack: [UInt8]
    let number: Int

    static func < (left: BlockPlace, right: BlockPlace) -> Bool {
        if left.pack == right.pack { return left.number < right.number }
        return left.pack.lexicographicallyPrecedes(right.pack)
    }
}
