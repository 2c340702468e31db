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
        var line = Array("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"\(method)\",\"params\":".utf8)
        line += parameters + [UInt8(ascii: "}")]
        switch RPCMessage(line) {
        case .single(.request(let request)):
            switch await service.outcome(of: request, client: nil) {
            case .success(let result): return result
            case .failure(let error): throw CallFailure(error)
            }
        case .single(.invalid(let error, _)): throw CallFailure(error)
        case .batch: throw CallFailure(.invalidParameters("The parameters must be an object."))
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
