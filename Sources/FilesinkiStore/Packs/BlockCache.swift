import Synchronization

/// Caches the blocks that were decoded last, so that several files of one block cost one read.
final class BlockCache: Sendable {
    struct Key: Hashable {
        var pack: [UInt8]
        var block: Int
    }

    private struct State {
        /// The most recently used block is last.
        var blocks: [(key: Key, bytes: [UInt8])] = []
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: The maximum number of blocks.
    init(capacity: Int) { self.capacity = capacity }

    func find(_ key: Key) -> [UInt8]? {
        state.withLock { state in
            guard let place = state.blocks.lastIndex(where: { $0.key == key }) else { return nil }
            let block = state.blocks.remove(at: place)
            state.blocks.append(block)
            return block.bytes
        }
    }

    func keep(_ key: Key, _ bytes: [UInt8]) {
        state.withLock { state in
            state.blocks.removeAll { $0.key == key }
            if state.blocks.count >= capacity { state.blocks.removeFirst() }
            state.blocks.append((key, bytes))
        }
    }
}
