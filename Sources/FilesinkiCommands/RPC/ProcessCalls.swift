import ArgumentParser
import FilesinkiModel
import FilesinkiRPC
package import FilesinkiRemote
import FilesinkiSystem
import FilesinkiText

/// The methods of `filesinki rpc` for a program that has them in its own process, as users of the C library do.
///
/// Calls may be made at once; each is carried out as its command is.
package struct ProcessCalls: Sendable {
    private let service: CommandService

    /// What a call that failed has to tell.
    package struct CallFailure: Error, Sendable {
        /// What the command would exit with.
        package var exitCode: Int32
        /// The failure's code, such as `away`.
        package var code: String
        package var path: String
        package var message: String
        package var remedy: String
    }

    /// - Parameters:
    ///   - root: The root of a replica that is there.
    ///   - connect: Opens the remote at an address that needs a network.
    /// - Throws: `Failure` as every command does that works on a replica.
    package init(
        root: String, connect: @escaping @Sendable (String, RemoteAccess) throws -> any Remote
    ) async throws {
        let network = NetworkAccess(
            connect: connect, serve: { _, _ in throw Failure.notInProcess },
            tokens: { _ in throw Failure.notInProcess })
        let options = try RootOptions.parse(["--root=" + ArgumentText.encode(Array(root.utf8))])
        service = try await CommandService(options, in: .ofCalls(network: network))
    }

    /// Calls a method.
    ///
    /// - Parameter parameters: An object as JSON.
    /// - Returns: The result as JSON.
    package func call(
        _ method: String, _ parameters: [UInt8]
    ) async throws(CallFailure) -> [UInt8] {
        switch await service.outcome(of: try Self.request(method, parameters), client: nil) {
        case .success(let result): return result
        case .failure(let error): throw CallFailure(error)
        }
    }

    /// Starts a method that goes on.
    ///
    /// - Parameter event: Receives each event as JSON, and at last, if it ends by itself, one of the type `ended`.
    /// - Returns: When what happens from now on will be reported.
    package func watch(
        _ method: String, _ parameters: [UInt8], _ event: @escaping @Sendable ([UInt8]) -> Void
    ) async throws(CallFailure) -> ProcessWatch {
        let request = try Self.request(method, parameters)
        do {
            return ProcessWatch(task: try await service.startWatch(request, event))
        } catch {
            throw CallFailure(RPCError(thrown: error))
        }
    }

    private static func request(
        _ method: String, _ parameters: [UInt8]
    ) throws(CallFailure) -> RPCRequest {
        var line = Array("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"\(method)\",\"params\":".utf8)
        line += parameters + [UInt8(ascii: "}")]
        switch RPCMessage(line) {
        case .single(.request(let request)): return request
        case .single(.invalid(let error, _)): throw CallFailure(error)
        case .batch: throw CallFailure(.invalidParameters("The parameters must be an object."))
        }
    }
}

/// A method that goes on in this process.
package struct ProcessWatch: Sendable {
    let task: Task<Void, Never>

    /// Goes on until the task is cancelled, or the watch ends by itself.
    package func end() async {
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

extension ProcessCalls.CallFailure {
    /// An error without data is one of the call itself.
    fileprivate init(_ error: RPCError) {
        let data = error.data.flatMap { try? JSONTree($0) }
        func text(_ name: String) -> String? {
            let member = data?.children.first { $0.name == Array(name.utf8) }
            return member.map { String(decoding: $0.text, as: UTF8.self) }
        }
        self.init(
            exitCode: text("exitCode").flatMap { Int32($0) } ?? ExitCode.usage.rawValue,
            code: text("code") ?? "usage", path: text("path") ?? "",
            message: text("cause") ?? error.message,
            remedy: text("remedy") ?? "See Docs/Rpc.md for the methods and their parameters.")
    }
}

extension Failure {
    fileprivate static let notInProcess = Failure(
        .usage, "A library does not serve stores.", remedy: "Run filesinki serve.")
}
