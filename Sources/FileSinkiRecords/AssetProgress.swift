import FilesinkiItems

/// How far the assets of a save or an exchange are on their way to the store. What is there already counts as sent. A
/// change that has more than 1 GiB is sent in several commits, each with a progress of its own.
public struct AssetProgress: Sendable, Hashable {
    /// How many were sent.
    public let assets: Int
    /// How many there are in all.
    public let totalAssets: Int
    /// How many bytes of them were sent.
    public let bytes: Int64
    /// How many bytes they have in all.
    public let totalBytes: Int64

    /// The share of the bytes that was sent, from 0 to 1.
    public var fraction: Double { totalBytes > 0 ? Double(bytes) / Double(totalBytes) : 1 }
}

extension ExchangeOptions {
    /// Options that tell how far the assets are.
    init(_ progress: (@Sendable (AssetProgress) -> Void)?) {
        self.init()
        guard let progress else { return }
        onProgress = {
            progress(
                AssetProgress(
                    assets: $0.assets, totalAssets: $0.totalAssets, bytes: $0.bytes,
                    totalBytes: $0.totalBytes))
        }
    }
}
