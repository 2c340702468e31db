import Glibc

/// A kind of place where replicas meet, for tests that have to hold on all of them.
///
/// The environment's `FILESINKI_REMOTES` chooses: `all` for every kind whose programs are installed,
/// or some names separated by commas. Without it the quick ones are taken: a folder, the own server,
/// and one WebDAV server.
package enum RemoteKind: String, CaseIterable, Hashable, Sendable, CustomStringConvertible {
    case directory
    /// The own server as it is.
    case server
    /// The own server with a certificate that it made itself, and tokens.
    case secureServer = "secure-server"
    case apache, nginx, lighttpd
    /// lighttpd with four processes.
    case lighttpdOfFour = "lighttpd-4"
    case ceph

    package var description: String { rawValue }

    /// The program that has to run; nil for what is our own.
    package var realServer: RealServer? {
        switch self {
        case .directory, .server, .secureServer: nil
        case .apache: .apache
        case .nginx: .nginx
        case .lighttpd: .lighttpd
        case .lighttpdOfFour: .lighttpdOfFour
        case .ceph: RealServer("Ceph for S3", script: "ceph", ports: 3)
        }
    }

    package var isWebDAV: Bool { realServer.map(RealServer.webDAV.contains) ?? false }

    package var isInstalled: Bool { realServer?.isInstalled ?? true }

    /// The key's name and the secret that Ceph is set up with.
    package static let cephKey = (name: "filesinki", secret: "open sesame")

    /// The kinds that this run of the tests is for.
    package static let chosen: [RemoteKind] = {
        let wish = getenv("FILESINKI_REMOTES").map { String(cString: $0) } ?? ""
        if wish == "all" { return allCases.filter(\.isInstalled) }
        if !wish.isEmpty {
            return wish.split(separator: ",").compactMap { RemoteKind(rawValue: String($0)) }
        }
        let webDAV = [apache, lighttpd, nginx].first { $0.isInstalled }
        return [directory, server, secureServer] + (webDAV.map { [$0] } ?? [])
    }()
}

/// A number from the environment, for a longer test.
package func knob(_ name: String, otherwise standard: Int) -> Int {
    getenv(name).flatMap { Int(String(cString: $0)) } ?? standard
}
