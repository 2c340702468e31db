import Synchronization

/// How far the upload of the assets of one commit is. What the store has already counts as done.
package struct AssetProgress: Hashable, Sendable {
    /// How many are done.
    package fileprivate(set) var assets = 0
    package fileprivate(set) var totalAssets = 0
    /// How many bytes of them were read to be sent.
    package fileprivate(set) var bytes: Int64 = 0
    package fileprivate(set) var totalBytes: Int64 = 0
}

/// Adds up the progress of the assets of one commit, and tells it now and then.
final class AssetMeter: Sendable {
    /// The bytes of a long asset after which progress is told.
    private static let step: Int64 = 4 << 20

    private let state: Mutex<State>
    private let tell: @Sendable (AssetProgress) -> Void

    private struct State {
        var progress: AssetProgress
        var told: Int64 = 0
        /// The bytes of the assets that are done.
        var done: Int64 = 0
    }

    init(_ assets: some Sequence<ItemAsset>, _ tell: @escaping @Sendable (AssetProgress) -> Void) {
        var progress = AssetProgress()
        for asset in assets {
            progress.totalAssets += 1
            progress.totalBytes += asset.size
        }
        state = Mutex(State(progress: progress))
        self.tell = tell
    }

    /// Counts bytes of the asset that is being sent, and returns them.
    func counted(_ bytes: [UInt8]) -> [UInt8] {
        add(bytes.count)
        return bytes
    }

    private func add(_ count: Int) {
        let present: AssetProgress? = state.withLock { state in
            state.progress.bytes += Int64(count)
            guard state.progress.bytes - state.told >= Self.step else { return nil }
            state.told = state.progress.bytes
            return state.progress
        }
        if let present { tell(present) }
    }

    /// Counts an asset as done.
    func end(_ asset: ItemAsset) {
        let present = state.withLock { state in
            state.done += asset.size
            state.progress.assets += 1
            state.progress.bytes = state.done
            state.told = state.done
            return state.progress
        }
        tell(present)
    }
}
