internal import FilesinkiModel
internal import FilesinkiStore

/// How a key-value store stands here.
package struct StoreStatus: Sendable {
    package var usage: Usage
    /// Keys whose change waits to be published.
    package var pending: [ValueKey]
    package var isOff: Bool
    /// The number of the last commit that was seen; 0 for none.
    package var sequence: UInt64
    /// The place behind the last event.
    package var token: FeedToken
    /// The last event; nil when there was none.
    package var last: ValueEvent?
}

extension KeyValues {
    /// How the store stands here, at one moment.
    package func status() throws -> StoreStatus {
        try database.read {
            let token = try database.position()
            var before = token
            before.number = max(0, token.number - 1)
            return StoreStatus(
                usage: try database.usage(), pending: try database.pending().map(\.key),
                isOff: try isOff(), sequence: try database.logPosition()?.token.sequence ?? 0,
                token: token, last: try database.events(after: before).last)
        }
    }
}
