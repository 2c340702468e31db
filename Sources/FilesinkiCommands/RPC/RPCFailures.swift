import ArgumentParser
import FilesinkiModel
import FilesinkiRPC
import FilesinkiRecordZones
import FilesinkiText
import Synchronization

/// The first failure that a command reports while it runs, and the save that was refused.
final class FirstFailure: Sendable {
    private let first = Mutex<Failure?>(nil)
    private let refused = Mutex<RecordConflict?>(nil)

    var failure: Failure? { first.withLock { $0 } }
    var conflict: RecordConflict? { refused.withLock { $0 } }

    func report(_ failure: Failure) { first.withLock { $0 = $0 ?? failure } }

    func report(_ conflict: RecordConflict) {
        refused.withLock { $0 = conflict }
        report(conflict.failure())
    }
}

extension RPCError {
    /// The code of every failure that is not one of the protocol: what it is, is in the exit code.
    static let failed = -32000

    /// A command that failed.
    ///
    /// - Parameters:
    ///   - exit: What the command would exit with.
    ///   - printed: The objects that it has printed, each as JSON.
    ///   - conflict: The save that was refused; nil for another failure.
    init(
        _ failure: Failure, exit: ExitCode, printed: [ArraySlice<UInt8>] = [],
        conflict: RecordConflict? = nil
    ) {
        var data: JSONObject = [:]
        data.add("exitCode", exit.rawValue)
        data.add("code", failure.code.description)
        if !failure.path.isEmpty { data.add("path", bytes: failure.path) }
        data.add("cause", failure.message)
        data.add("remedy", failure.remedy)
        conflict?.describe(in: &data)
        if !printed.isEmpty {
            data.add("printed", .array(printed.map { .written(Array($0)) }))
        }
        self.init(code: Self.failed, failure.description, data: data.bytes)
    }

    /// What a command has thrown.
    init(thrown error: any Error, printed: [ArraySlice<UInt8>] = []) {
        switch error {
        case let error as RPCError: self = error
        case let error as ValidationError: self = .invalidParameters(error.message)
        case is CancellationError: self.init(.cancelledCall, exit: .interrupted, printed: printed)
        case let failure as Failure:
            self.init(failure, exit: ExitCode(failure), printed: printed)
        default:
            let failure = Failure(.io, "\(error)", remedy: "Run it again.")
            self.init(failure, exit: .io, printed: printed)
        }
    }
}

extension Failure {
    fileprivate static let cancelledCall = Failure(
        .interrupted, "The call was cancelled.", remedy: "What was done before is kept.")

    /// A command that has said nothing else than its exit code.
    static func exited(_ code: ExitCode) -> Failure {
        Failure(
            Failure.Code("exit"), "The command exits with \(code.rawValue).",
            remedy: "filesinki help exit-codes says what that means.")
    }
}
