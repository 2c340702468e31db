import Glibc

/// A kind of remote, for tests that run on several of them.
///
/// The variable `FILESINKI_REMOTES` selects them: `all` for every kind whose programs are installed, or names
/// separated by commas. By default these are the fast ones: a folder, `filesinki serve`, and one WebDAV
/// server.
package enum RemoteKind: String, CaseIterable, Hashable, Sendable, CustomStringConvertible {
    case directory
    /// `filesinki serve` without encryption.
    case server
    /// `filesinki serve` with a self-signed certificate and tokens.
    case secureServer = "secure-server"
    case apache, nginx, lighttpd
    /// lighttpd with four processes.
    case lighttpdOfFour = "lighttpd-4"
    case ceph
    /// A host with sshd alone.
    case ssh
    /// A host with sshd and filesinki.
    case sshFilesinki = "ssh-filesinki"
    /// A folder of this machine, by way of each device's own rclone.
    case rclone

    package var description: String { rawValue }

    /// The server to start; nil for our own.
    package var realServer: RealServer? {
        switch self {
        case .directory, .server, .secureServer, .rclone: nil
        case .apache: .apache
        case .nginx: .nginx
        case .lighttpd: .lighttpd
        case .lighttpdOfFour: .lighttpdOfFour
        case .ceph: RealServer("Ceph for S3", script: "ceph", ports: 3)
        case .ssh: .sshd
        case .sshFilesinki: .sshd(with: BuiltProgram.network ?? "")
        }
    }

    package var isWebDAV: Bool { realServer.map(RealServer.webDAV.contains) ?? false }

    package var isInstalled: Bool {
        switch self {
        case .sshFilesinki where BuiltProgram.network == nil: false
        case .rclone: Self.hasRclone
        default: realServer?.isInstalled ?? true
        }
    }

    /// Whether rclone is on this machine.
    package static let hasRclone: Bool = {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        return path.split(separator: ":").contains { access("\($0)/rclone", X_OK) == 0 }
    }()

    /// The access key of the Ceph server.
    package static let cephKey = (name: "filesinki", secret: "open sesame")

    /// The kinds selected for this test run.
    package static let chosen: [RemoteKind] = {
        let selection = getenv("FILESINKI_REMOTES").map { String(cString: $0) } ?? ""
        if selection == "all" { return allCases.filter(\.isInstalled) }
        if !selection.isEmpty {
            return selection.split(separator: ",").compactMap { RemoteKind(rawValue: String($0)) }
        }
        let webDAV = [apache, lighttpd, nginx].first { $0.isInstalled }
        return [directory, server, secureServer] + (webDAV.map { [$0] } ?? [])
    }()
}
