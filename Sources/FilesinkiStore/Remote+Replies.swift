internal import FilesinkiModel
internal import FilesinkiRemote

extension Remote {
    /// The replies to several requests, one for each, as ``FilesinkiRemote/Remote/read(_:)`` gives
    /// them, held to what was asked for.
    ///
    /// - Throws: `Failure` with code `io` when the replies are not those to the requests; what the
    ///   remote throws.
    func replies(to requests: [ObjectRequest]) async throws -> [ObjectReply] {
        guard !requests.isEmpty else { return [] }
        let replies = try await read(requests)
        let areFit =
            replies.count == requests.count
            && zip(requests, replies).allSatisfy { $0.known != nil || $1 != .same }
        guard areFit else {
            throw Failure(
                .io, path: address, "The remote gave other replies than were asked for.",
                remedy: "Run again; if it goes on, the server may be at fault.")
        }
        return replies
    }
}
