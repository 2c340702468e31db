import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiModel
package import FilesinkiReconcile
import FilesinkiRules
import FilesinkiSystem

/// What the synced rules would run on this device.
package struct TrustReport: Sendable {
    /// The links that start a command, in the order of the file.
    package var commands: [StrategyLink]
    /// Whether these very rules are trusted.
    package var isTrusted: Bool
}

/// Whether commands in the synced rules may run on this device.
struct Trust: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }
}

extension Trust {
    /// Says which commands the synced rules hold, and whether they may run.
    ///
    /// - Throws: Code `not-found` when there are no synced rules.
    func report() throws -> TrustReport {
        let bytes = try syncedRules()
        return TrustReport(commands: Self.commands(of: bytes), isTrusted: try isTrusted(bytes))
    }

    /// Lets the commands of the synced rules run on this device, as long as not one byte of the
    /// rules changes.
    func set(_ isTrusted: Bool) throws -> TrustReport {
        let bytes = try syncedRules()
        let mark = isTrusted ? ContentHasher.hash(bytes).description + "\n" : ""
        try StateFile.replace(state.trusted, with: Array(mark.utf8))
        return try report()
    }

    /// Whether the user has looked at these bytes and lets their commands run here.
    func isTrusted(_ rules: [UInt8]?) throws(Failure) -> Bool {
        guard let rules, let mark = try StateFile.read(state.trusted) else { return false }
        return mark == Array((ContentHasher.hash(rules).description + "\n").utf8)
    }

    private func syncedRules() throws -> [UInt8] {
        if let bytes = try rulesReader.rootFile(Settings.syncedFile) { return bytes }
        throw Failure(
            .notFound, path: Settings.syncedFile, "There are no synced rules.",
            remedy: "Rules are kept in this file in the root.")
    }

    private static func commands(of rules: [UInt8]) -> [StrategyLink] {
        RulesLoad(synced: rules, isTrusted: true).rules.strategies
            .flatMap { $0.links.filter(\.runsCommand) }
    }
}
