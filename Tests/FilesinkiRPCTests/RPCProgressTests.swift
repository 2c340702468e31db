import FilesinkiRPC
import Synchronization
import Testing

@Suite("The progress of a call")
struct RPCProgressTests {
    /// Tells each step that the test gives, a second after the last one, and says when it has.
    private final class Steps: RPCService {
        private let steps: AsyncStream<Int>
        private let told: AsyncStream<Int>.Continuation
        private let seconds = Mutex(Int64(0))
        /// The time between two steps, in nanoseconds.
        private let pause: Int64

        init(_ steps: AsyncStream<Int>, _ told: AsyncStream<Int>.Continuation, pause: Int64) {
            (self.steps, self.told, self.pause) = (steps, told, pause)
        }

        func outcome(of request: RPCRequest, for client: RPCClient) async -> RPCOutcome {
            do {
                try await client.withProgress(of: request, now: { self.tick() }) { progress in
                    for await step in steps {
                        progress?.tell(Array("\(step)".utf8))
                        told.yield(step)
                    }
                }
            } catch { return .failure(.unknownMethod("\(error)")) }
            return .success(Array("true".utf8))
        }

        private func tick() -> Int64 {
            seconds.withLock { seconds in
                seconds += pause
                return seconds
            }
        }
    }

    private let answer = #"{"jsonrpc":"2.0","id":"a","result":true}"#

    private func line(_ step: Int) -> String {
        #"{"jsonrpc":"2.0","method":"rpc.progress","params":{"id":"a","progress":\#(step)}}"#
    }

    /// What a client is sent that asks for one call, and reads nothing before all of the steps are told.
    private func lines(
        _ message: String, steps count: Int, pause: Int64 = 1_000_000_000
    ) async throws -> [String] {
        let (steps, step) = AsyncStream<Int>.makeStream()
        let (told, tell) = AsyncStream<Int>.makeStream()
        let (reads, read) = AsyncStream<Void>.makeStream()
        let rest = Mutex<[UInt8]?>(Array(message.utf8))
        let output = Mutex<[UInt8]>([])
        let stream = RPCStream(
            read: {
                rest.withLock { rest in
                    defer { rest = nil }
                    return rest ?? []
                }
            },
            write: { bytes in
                for await _ in reads { break }
                output.withLock { $0 += bytes }
            })
        let service = Steps(steps, tell, pause: pause)
        let serving = Task { try await RPCConnection(stream, service).serve() }
        for number in 1...count { step.yield(number) }
        for await number in told where number == count { break }
        read.finish()
        step.finish()
        try await serving.value
        return String(decoding: output.withLock { $0 }, as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    @Test func `a client that does not read gets the newest, and then the answer`() async throws {
        let found = try await lines(#"{"jsonrpc":"2.0","id":"a","method":"work"}"#, steps: 1_000)
        // The first may be on its way already while the others are told.
        #expect(found.count <= 3 && found.suffix(2) == [line(1_000), answer], "\(found)")
    }

    @Test func `of steps that follow each other at once the last one is told`() async throws {
        let found = try await lines(
            #"{"jsonrpc":"2.0","id":"a","method":"work"}"#, steps: 50, pause: 1)
        #expect(found.count <= 3 && found.suffix(2) == [line(50), answer], "\(found)")
    }

    @Test func `a batch, which is one line, and a notification are told nothing`() async throws {
        let batch = try await lines(#"[{"jsonrpc":"2.0","id":"a","method":"work"}]"#, steps: 3)
        #expect(batch == ["[\(answer)]"])
        #expect(try await lines(#"{"jsonrpc":"2.0","method":"work"}"#, steps: 3) == [])
    }
}
