import FilesinkiRPC
import FilesinkiSystem
import Synchronization

/// Methods for tests: `echo` gives back its parameter `value`, `fail` fails, `wait` ends only when it is
/// cancelled, `watch` sends a notification and ends, `large` gives 4,096 bytes.
final class EchoService: RPCService {
    private let carriedOut = Mutex<[String]>([])

    /// The methods in the order in which they began.
    var methods: [String] { carriedOut.withLock { $0 } }

    func outcome(of request: RPCRequest, for client: RPCClient) async -> RPCOutcome {
        carriedOut.withLock { $0.append(request.method) }
        switch request.method {
        case "echo": return .success(request.parameters.written("value") ?? Array("null".utf8))
        case "fail": return .failure(RPCError(code: -32000, "It failed.", data: Array("[1]".utf8)))
        case "large":
            return .success(Array("\"\(String(repeating: "x", count: 4_096))\"".utf8))
        case "wait":
            try? await Task.sleep(for: .seconds(600))
            return .failure(RPCError(code: -32000, Task.isCancelled ? "Cancelled." : "Over."))
        case "watch": return await watch(client)
        default: return .failure(.unknownMethod("Unknown method."))
        }
    }

    private func watch(_ client: RPCClient) async -> RPCOutcome {
        do throws(RPCError) {
            let number = try await client.startWatch { number in
                try? await client.notify("event", Array("{\"watch\":\(number)}".utf8))
                try? await Task.sleep(for: .seconds(600))
            }
            return .success(Array(String(number).utf8))
        } catch {
            return .failure(error)
        }
    }
}

/// A client that gives all of its lines at once, and keeps what it is sent.
func answers(
    to input: String, _ service: EchoService = EchoService(), limits: RPCLimits = RPCLimits()
) async throws -> [String] {
    let rest = Mutex<[UInt8]?>(Array(input.utf8))
    let output = Mutex<[UInt8]>([])
    let stream = RPCStream(
        read: {
            rest.withLock { rest in
                defer { rest = nil }
                return rest ?? []
            }
        },
        write: { bytes in output.withLock { $0 += bytes } })
    try await RPCConnection(stream, service, limits: limits).serve()
    let text = String(decoding: output.withLock { $0 }, as: UTF8.self)
    return text.split(separator: "\n").map(String.init)
}
