import FilesinkiManifest
import FilesinkiModel

/// Why access was denied to the last run, for `status`: the word of the run does not say which token, key or user is meant.
struct LastRefusal: Hashable {
    /// The run that was refused. Once another one has ended, this one says nothing any more.
    let run: Int64
    let path: [UInt8]
    let message: String
    let remedy: String

    init(run: Int64, _ failure: Failure) {
        self.run = run
        (path, message, remedy) = (failure.path, failure.message, failure.remedy)
    }

    /// - Parameter bytes: What ``bytes`` gave; nil for anything else.
    init?(_ bytes: [UInt8]) {
        let parts = bytes.split(separator: 0, omittingEmptySubsequences: false)
        guard parts.count == 4, let run = Int64(String(decoding: parts[0], as: UTF8.self)) else {
            return nil
        }
        self.run = run
        path = Array(parts[1])
        message = String(decoding: parts[2], as: UTF8.self)
        remedy = String(decoding: parts[3], as: UTF8.self)
    }

    /// As the manifest has it; no part contains a NUL.
    var bytes: [UInt8] {
        [Array(String(run).utf8), path, Array(message.utf8), Array(remedy.utf8)]
            .map { $0.filter { $0 != 0 } }.joined(separator: [0]).map(\.self)
    }

    var failure: Failure { Failure(.notAllowed, path: path, message, remedy: remedy) }
}

extension SyncEngine {
    /// Records that a run ended by a failure; of one that denied access also why, and what to do.
    ///
    /// - Parameter exitCode: What the command exits with.
    func recordFailedRun(_ failure: Failure, exitCode: Int32) throws {
        try recordFailedRun(failure.code.description, exitCode: exitCode)
        guard failure.code == .notAllowed, replica.lock != nil,
            let run = try manifest.runs(limit: 1).first
        else { return }
        let refusal = LastRefusal(run: run.id, failure)
        try manifest.write { try $0.setValue(ManifestDatabase.refusalName, refusal.bytes) }
    }
}

extension ManifestDatabase {
    fileprivate static let refusalName = "refusal"

    /// Why access was denied to the run; nil if it was not, or nothing is known.
    func refusal(of run: RunRow) throws -> Failure? {
        guard let bytes = try value(Self.refusalName), let last = LastRefusal(bytes),
            last.run == run.id
        else { return nil }
        return last.failure
    }
}

extension ManifestWriter {
    /// Forgets what was said of the access to the remote: it is given anew.
    func forgetRefusal() throws { try setValue(ManifestDatabase.refusalName, nil) }
}
