import FilesinkiCommands
import FilesinkiSystem
import Testing

extension World {
    /// What `filesinki rpc` answers to lines that come all at once.
    func rpc(_ lines: String..., root: String = "a") async throws -> [String] {
        let input = lines.map { $0 + "\n" }.joined()
        let outcome = try await run("rpc", "--root", root, input: Array(input.utf8))
        #expect(outcome.code == .done, "\(outcome.talk)")
        return outcome.lines
    }

    /// The answer to one call.
    func call(
        _ method: String, _ parameters: String = "{}", root: String = "a"
    ) async throws -> String {
        let answers = try await rpc(
            #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(parameters)}"#, root: root)
        try #require(answers.count == 1, "\(answers)")
        return answers[0]
    }
}

/// A running `filesinki rpc` in this process, and the client that talks to it.
final class RunningRPC: Sendable {
    private let requests: Pipe
    private let answers: Pipe
    private let readiness: Readiness
    private let lines = RPCLineBuffer()
    let program: Task<ExitCode, Never>

    init(in world: World, root: String) throws {
        requests = try Pipe()
        answers = try Pipe()
        readiness = try Readiness()
        let console = world.console(
            output: DescriptorSink(answers.writing.raw, name: "standard output"),
            input: requests.reading.raw)
        program = Task {
            await Program.run(
                arguments: ["rpc", "--root", root].map { Array($0.utf8) }, in: console)
        }
    }

    func send(_ line: String) async throws {
        try await readiness.write(Array((line + "\n").utf8), to: requests.writing.raw)
    }

    func request(_ id: Int, _ method: String, _ parameters: String = "{}") async throws {
        try await send(
            #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"#)
    }

    /// The next line that it writes.
    func next() async throws -> String {
        while true {
            if let line = await lines.next() { return line }
            let bytes = try await readiness.read(from: answers.reading.raw, limit: 4_096)
            guard !bytes.isEmpty else { throw WorldError.noFile(0) }
            await lines.add(bytes)
        }
    }

    /// Ends it as a signal would.
    func end() async {
        program.cancel()
        _ = await program.value
    }
}

/// The lines that have arrived.
actor RPCLineBuffer {
    private var bytes: [UInt8] = []

    func add(_ more: [UInt8]) { bytes += more }

    func next() -> String? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { bytes.removeFirst(end + 1) }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
