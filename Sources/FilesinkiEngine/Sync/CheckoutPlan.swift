import FilesinkiModel
import FilesinkiStore
import Synchronization

/// What one worker of a checkout does at a time.
enum CheckoutJob: Sendable {
    /// A wanted content of a block, and who wants it.
    struct Member: Sendable {
        let place: PackMember
        let content: ContentID
        let tasks: [ApplyTask]
    }

    /// Every wanted content of one block.
    case block(PackReader, Int, [Member])
    /// A content of its own: inside a commit, or of many chunks.
    case content(ContentID, [ApplyTask])

    var files: Int {
        switch self {
        case .block(_, _, let members): members.reduce(0) { $0 + $1.tasks.count }
        case .content(_, let tasks): tasks.count
        }
    }

    var bytes: Int64 {
        switch self {
        case .block(_, _, let members):
            members.reduce(0) { $0 + Int64($1.place.length * $1.tasks.count) }
        case .content(_, let tasks): tasks.reduce(0) { $0 + $1.entry.size }
        }
    }
}

/// The files of a checkout, grouped by where their contents lie.
struct CheckoutPlan {
    private(set) var windows: [[CheckoutJob]] = []

    init(_ tasks: [ApplyTask], _ contents: ContentSource) async throws {
        var wanted: [ContentID: [ApplyTask]] = [:]
        for task in tasks { wanted[task.entry.content, default: []].append(task) }
        var blocks: [BlockPlace: [CheckoutJob.Member]] = [:]
        var readers: [[UInt8]: PackReader] = [:]
        var jobs: [CheckoutJob] = []
        for (content, tasks) in wanted {
            if !contents.isInline(content), let place = try await contents.locator.find(content),
                place.member.kind == .chunk
            {
                let block = BlockPlace(pack: place.pack.reference.id, block: place.member.block)
                readers[block.pack] = place.pack
                blocks[block, default: []].append(
                    CheckoutJob.Member(place: place.member, content: content, tasks: tasks))
            } else {
                jobs.append(.content(content, tasks))
            }
        }
        for place in blocks.keys.sorted() {
            guard let reader = readers[place.pack], let members = blocks[place] else { continue }
            jobs.append(
                .block(reader, place.block, members.sorted { $0.place.offset < $1.place.offset }))
        }
        divide(jobs)
    }

    private mutating func divide(_ jobs: [CheckoutJob]) {
        var window: [CheckoutJob] = []
        var files = 0
        var bytes: Int64 = 0
        for job in jobs {
            window.append(job)
            files += job.files
            bytes += job.bytes
            if files >= Checkout.windowFiles || bytes >= Checkout.windowBytes {
                windows.append(window)
                window = []
                files = 0
                bytes = 0
            }
        }
        if !window.isEmpty { windows.append(window) }
    }
}

/// One block of one pack, ordered by where it lies.
private struct BlockPlace: Hashable, Comparable {
    let pack: [UInt8]
    let block: Int

    static func < (left: BlockPlace, right: BlockPlace) -> Bool {
        if left.pack == right.pack { return left.block < right.block }
        return left.pack.lexicographicallyPrecedes(right.pack)
    }
}

/// Hands out the numbers from 0 up to a count, each once, to several workers.
final class WorkCursor: Sendable {
    private let position = Mutex(0)
    private let count: Int

    init(count: Int) {
        self.count = count
    }

    func next() -> Int? {
        position.withLock { value in
            guard value < count else { return nil }
            value += 1
            return value - 1
        }
    }
}
