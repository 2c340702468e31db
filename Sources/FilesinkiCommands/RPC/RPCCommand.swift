import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRPC
import FilesinkiSystem
import FilesinkiText

/// `rpc`: the commands for other programs, without a process for each.
struct RPCCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "rpc",
        abstract: "Serve programs in any language over JSON-RPC.",
        discussion: """
            Reads requests of JSON-RPC 2.0 from standard input, one a line, and writes an answer for \
            each to standard output, in the same order. A result is what the command of the same \
            name prints with --json; a failure has the exit code, the path and the remedy. Ends with \
            its input, when everything is answered. The method rpc.methods lists all methods.

            With --socket it prints the path of a socket in the replica's state folder, and serves \
            every program of this user that connects to it, until SIGINT or SIGTERM.
            """)

    @Flag(name: .long, help: "Serve a Unix socket instead of standard input and output.")
    var socket = false

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let service = try await CommandService(replica, in: console)
        if socket { return try await serveSocket(service, in: console) }
        let readiness = try Readiness()
        return try await console.untilInterrupted {
            let stream = console.stream(readiness)
            do { try await RPCConnection(stream, service).serve() } catch let error as SystemError {
                throw error.failure("write", "standard output", of: .argument)
            }
            return .done
        }
    }

    private func serveSocket(
        _ service: CommandService, in console: Console
    ) async throws -> ExitCode {
        let server = try RPCSocketServer(service, service.state, in: console)
        let path = service.state.rpcSocket
        if report.json {
            try console.output.json(["type": "rpc", "socket": .string(path)])
        } else {
            try console.output.line(path)
            try console.output.flush()
        }
        console.output.detach()
        let code = try await console.untilInterrupted {
            try await server.serve()
            return .done
        }
        // It is ended by a signal only.
        return code == .interrupted || code == .terminated ? .done : code
    }
}

extension Console {
    /// Standard input and output.
    fileprivate func stream(_ readiness: Readiness) -> RPCStream {
        if let descriptor = output.descriptor {
            return RPCStream(input: input, output: descriptor, readiness)
        }
        return RPCStream(input: input, readiness) { [output] bytes in
            try output.write(bytes)
            try output.flush()
        }
    }
}
