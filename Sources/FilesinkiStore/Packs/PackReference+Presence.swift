internal import FilesinkiModel
package import FilesinkiRemote

extension PackReference {
    /// How many packs one request asks for.
    private static let maximumBatch = 256

    /// Those of the packs that the remote holds, as far as their size and their trailer tell.
    ///
    /// Reads 64 bytes of each, many with one request.
    package static func present(
        _ packs: [PackReference], at remote: any Remote
    ) async throws -> [PackReference] {
        var found: [PackReference] = []
        for start in stride(from: 0, to: packs.count, by: maximumBatch) {
            let part = packs[start..<min(start + maximumBatch, packs.count)]
                .filter { $0.size >= Int64(PackTrailer.length) }
            let requests = try part.map { (pack) throws(Failure) in
                ObjectRequest(
                    try ObjectKey(pack.keyText),
                    range: (pack.size - Int64(PackTrailer.length))..<pack.size)
            }
            for (pack, reply) in zip(part, try await remote.replies(to: requests)) {
                guard case .bytes(let bytes) = reply, bytes.count == PackTrailer.length,
                    (try? bytes.withUnsafeBytes { try PackTrailer(endOf: $0, of: pack) }) != nil
                else { continue }
                found.append(pack)
            }
        }
        return found
    }
}
