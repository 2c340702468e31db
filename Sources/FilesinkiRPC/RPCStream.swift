package import FilesinkiSystem
import FilesinkiText

/// The two directions of a connection to a client.
package struct RPCStream: Sendable {
    /// Waits for bytes; empty at the end.
    let read: @Sendable () async throws -> [UInt8]
    /// Writes all bytes, and waits whenever the client does not read.
    let write: @Sendable ([UInt8]) async throws -> Void

    private static let pieceSize = 64 << 10

    package init(
        read: @escaping @Sendable () async throws -> [UInt8],
        write: @escaping @Sendable ([UInt8]) async throws -> Void
    ) {
        self.read = read
        self.write = write
    }

    /// - Parameters:
    ///   - input: A descriptor that the caller keeps open while the stream is used.
    ///   - write: Writes all bytes, and returns when the client takes them or there is room for them.
    package init(
        input: Int32, _ readiness: Readiness,
        write: @escaping @Sendable ([UInt8]) async throws -> Void
    ) {
        read = { try await readiness.read(from: input, limit: Self.pieceSize) }
        self.write = write
    }

    /// Sends an error that answers no request.
    package func refuse(_ error: RPCError) async throws {
        var answer: JSONObject = ["jsonrpc": "2.0", "id": .null]
        answer.add("error", .object(error.json))
        try await write(answer.bytes + [UInt8(ascii: "\n")])
    }

    /// Standard input and output, or twice the same socket. The caller keeps them open.
    package init(input: Int32, output: Int32, _ readiness: Readiness) {
        self.init(input: input, readiness) { try await readiness.write($0, to: output) }
    }
}
