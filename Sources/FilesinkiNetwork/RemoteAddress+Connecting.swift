import FilesinkiDirectory
package import FilesinkiModel
package import FilesinkiRemote
import Glibc

extension RemoteAddress {
    /// Opens remotes by their addresses, for a program that uses the library. What has led to a
    /// password once, such as a command, is not asked again.
    ///
    /// - Parameter access: Where the secret and the certificates for a remote are found first.
    package static func connector(
        _ systemContext: SystemContext, _ access: RemoteAccess = RemoteAccess()
    ) -> @Sendable (String) throws -> any Remote {
        let remotes = NetworkRemotes(systemContext: systemContext) { name in
            getenv(name).map { String(cString: $0) }
        }
        return { text in
            switch try RemoteAddress(absolute: text) {
            case .folder(let path): DirectoryRemote(path: path)
            case .network(let address): try remotes.connect(address, access)
            }
        }
    }
}
