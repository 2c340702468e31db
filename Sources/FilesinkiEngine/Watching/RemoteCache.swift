package import FilesinkiRemote
import Synchronization

/// Keeps remotes from one run to the next, with their connections and what they listen to.
package final class RemoteCache: Sendable {
    private let connect: @Sendable (String) throws -> any Remote
    private let last = Mutex<(address: String, remote: any Remote)?>(nil)

    package init(_ connect: @escaping @Sendable (String) throws -> any Remote) {
        self.connect = connect
    }

    /// The remote at an address; the same as before when it is asked for again.
    package func remote(_ address: String) throws -> any Remote {
        if let last = last.withLock({ $0 }), last.address == address { return last.remote }
        let made = try connect(address)
        last.withLock { $0 = (address, made) }
        return made
    }
}
