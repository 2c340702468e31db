package import FilesinkiModel
package import FilesinkiRemote
import Synchronization

/// Opens remotes that are reached over ssh. Those of one address share a connection, as long as one of
/// them exists.
package final class SSHRemotes: Sendable {
    private let command: SSHCommand
    private let systemContext: SystemContext
    private let links = Mutex<[Key: Weak]>([:])

    private struct Key: Hashable {
        var address: String
        var command: SSHCommand
    }

    private struct Weak {
        weak var link: SSHLink?
    }

    package init(_ command: SSHCommand, systemContext: SystemContext) {
        self.command = command
        self.systemContext = systemContext
    }

    /// Opens a remote that retries transient failures. It connects with its first request.
    ///
    /// - Parameters:
    ///   - bandwidth: Limits what is sent and received, if this opens the connection; nil for no limit.
    ///   - note: The file in which a replica notes that the host has no filesinki; nil for nowhere.
    ///   - setting: What the replica's settings say to run in place of `ssh`; nil if they say nothing.
    package func connect(
        _ address: SSHAddress, bandwidth: Bandwidth? = nil, note: String? = nil,
        setting: String? = nil
    ) -> any Remote {
        let link = link(address, bandwidth, setting)
        if let note { link.setNote(note) }
        return RetryingRemote(
            SSHRemote(link, systemContext: systemContext), systemContext: systemContext)
    }

    /// Lets the next connection find out anew what the host has.
    ///
    /// - Parameter note: As of ``connect(_:bandwidth:note:setting:)``.
    package static func forget(note: String) { SSHNote(path: note).forget() }

    /// Creates the folder of a store, if its parent exists.
    ///
    /// Only for a replica that has not used its store yet: if the folder of a known store is missing, its
    /// disk is most likely not mounted. If the folder cannot be created, opening the store reports it as
    /// missing.
    ///
    /// - Parameter setting: As of ``connect(_:bandwidth:note:setting:)``.
    /// - Returns: What keeps the connection open for the next remote of the address.
    /// - Throws: `Failure` with code `usage` if SFTP shows that a store there would be in a replica or in another store.
    @discardableResult
    package func makeFolder(
        _ address: SSHAddress, setting: String? = nil
    ) async throws(Failure) -> any Sendable {
        let link = link(address, nil, setting)
        try await link.makeFolder()
        return link
    }

    private func link(
        _ address: SSHAddress, _ bandwidth: Bandwidth?, _ setting: String?
    ) -> SSHLink {
        let key = Key(address: address.text, command: command.with(setting: setting))
        return links.withLock { links in
            if let link = links[key]?.link { return link }
            let link = SSHLink(address, key.command, bandwidth: bandwidth)
            links[key] = Weak(link: link)
            return link
        }
    }
}
