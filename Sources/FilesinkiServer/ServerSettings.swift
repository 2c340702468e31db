import FilesinkiDirectory
package import FilesinkiModel
package import FilesinkiRemote
import Glibc

/// How a server encrypts its connections.
package enum ServerTLS: Hashable, Sendable {
    /// Not at all: for loopback, or behind a proxy that encrypts.
    case none
    /// With a certificate chain and a key, both PEM files.
    case files(certificate: String, key: String)
    /// With a self-signed certificate that the server creates in this folder.
    case selfSigned(folder: String)
}

/// The settings of a server.
package struct ServerSettings: Sendable {
    /// The folder of the store.
    package var folder: String
    /// Whether to create the folder, or allow one without a store.
    package var createsFolder = false
    /// Why no store is to be made in the folder; nil if it may be made. A server that creates the folder then replies so to
    /// every request, another one to those that store something.
    package var misplacement: MisplacedStore?
    /// An address or name of this machine.
    package var host = "127.0.0.1"
    /// 0 for any free port.
    package var port = 8384
    package var tls: ServerTLS = .none
    /// The token file; nil for a server without authentication.
    package var tokenFile: String?
    /// Whether the server needs no authentication until the token file exists.
    package var isOpenUntilFirstToken = false
    /// Whether clients without a token may read the public database.
    package var isPublic = false
    /// The file that stores which token each device belongs to; nil to store it in memory only.
    package var deviceFile: String?
    /// Whether to allow other machines to connect without tokens or TLS.
    package var allowInsecure = false
    /// The largest size of the folder in bytes; nil for no limit.
    package var quota: Int64?
    package var limits = ServerLimits()
    /// Injected faults, for tests of clients.
    package var faults = ServerFaults()
    /// What the page of the store shows; nil for no page.
    package var page: StorePageSource?
    /// Receives the lines of the access log without newlines. Must not block for long.
    package var log: @Sendable (String) -> Void = { _ in }
    /// A monotonic clock, for rates. Tests use their own.
    package var clock: @Sendable () -> Duration = Self.machineClock

    static let machineClock: @Sendable () -> Duration = {
        let begin = ContinuousClock().now
        return { begin.duration(to: ContinuousClock().now) }
    }()

    package init(folder: String) { self.folder = folder }

    /// Rejects settings that would expose the store or its tokens to others on the network.
    ///
    /// - Throws: `Failure` with code `usage`.
    package func check() throws(Failure) {
        guard (0...65_535).contains(port), !host.isEmpty else {
            throw Failure(
                .usage, path: "\(host):\(port)", "Invalid listen address.",
                remedy: "Write HOST:PORT.")
        }
        guard !allowInsecure, !Self.isLoopback(host) else { return }
        guard tokenFile != nil, !isOpenUntilFirstToken else {
            throw Failure(
                .usage, path: host,
                "Without tokens, anyone on the network could read and write the store.",
                remedy:
                    "Create a token with filesinki serve token make, or listen on 127.0.0.1 only.")
        }
        guard tls != .none else {
            throw Failure(
                .usage, path: host, "Without TLS, others on the network could read the tokens.",
                remedy: "Use --self-signed or a certificate, or listen on 127.0.0.1 only.")
        }
    }

    /// Whether only this machine can connect to the address. Names other than `localhost` are not resolved.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" { return true }
        var v4 = in_addr()
        if inet_pton(AF_INET, host, &v4) == 1 { return UInt32(bigEndian: v4.s_addr) >> 24 == 127 }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, host, &v6) == 1 else { return false }
        return withUnsafeBytes(of: v6) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    }
}

/// Where a server listens, and its certificate.
package struct ServerAddress: Hashable, Sendable {
    package var host: String
    package var port: Int
    package var isSecure: Bool
    /// SHA-256 of the self-signed certificate in hexadecimal; nil without one.
    package var fingerprint: String?

    /// `https://host:port`
    package var description: String { description(host) }

    /// The address for other machines: for a server that listens on all of this machine's addresses, with
    /// the name of this machine. Nil on loopback.
    package var outside: String? {
        if ServerSettings.isLoopback(host) { return nil }
        return description(["0.0.0.0", "::"].contains(host) ? HostName.own ?? host : host)
    }

    private func description(_ host: String) -> String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(isSecure ? "https" : "http")://\(host):\(port)"
    }
}

/// The limits for the clients of a server.
package struct ServerLimits: Hashable, Sendable {
    /// The request line and all header fields, in bytes.
    package var headerBytes = 16 << 10
    package var headerLines = 100
    /// The time limit for the TLS handshake and the header of the first request.
    package var headerTime: Duration = .seconds(10)
    /// The time limit between two requests, and without progress during one in either direction.
    package var idleTime: Duration = .seconds(30)
    package var connections = 4096
    package var connectionsPerAddress = 1024
    /// The largest object, in bytes.
    package var objectBytes: Int64 = 1 << 30
    /// The largest publication, in bytes.
    package var publicationBytes: Int64 = 64 << 20
    /// Concurrent uploads, in total and of one token or address.
    package var uploads = 64
    package var uploadsOfOne = 32
    /// Concurrent requests of one token or address, except event streams.
    package var requestsOfOne = 1024
    /// The minimum rate of a request's body and of the replies of a connection, in bytes per second, and
    /// the delay allowed in addition.
    package var bodyRate = 1 << 10
    package var bodyTime: Duration = .seconds(30)
    /// Concurrent event streams, in total and of one token or address.
    package var watchers = 2048
    package var watchersOfOne = 1024
    /// The interval of heartbeats in an event stream.
    package var heartbeat: Duration = .seconds(10)
    /// How long a change is held back to be reported together with others.
    package var coalescing: Duration = .milliseconds(20)
    /// The sessions of a page, in total and of one token.
    package var sessions = 256
    package var sessionsOfOne = 16
    /// The time after which a session ends: without a request, and in any case.
    package var sessionIdleTime: Duration = .seconds(3600)
    package var sessionTime: Duration = .seconds(12 * 3600)
    /// How long the reply to a wrong token of a page is held back, and how many of one address wait for it.
    package var wrongTokenTime: Duration = .seconds(1)
    package var wrongTokensOfOne = 4
    /// The age at which an abandoned upload is removed.
    package var uploadAge: Duration = .seconds(86_400)
    /// The interval of removing abandoned uploads and measuring the folder.
    package var cleanupInterval: Duration = .seconds(600)

    package init() {}
}

/// The folder that a server serves. It contains a store or the server's private folder, which tells it from
/// the empty mount point of an unmounted disk.
package struct ServedStore: Sendable {
    package let folder: String

    package init(_ folder: String) { self.folder = folder }

    /// The folder of the server's own files. No key begins with a dot, so no client can access it.
    package var privateFolder: String { folder + "/.serve" }

    package var tokenFile: String { privateFolder + "/tokens" }

    package var deviceFile: String { privateFolder + "/devices" }

    /// Whether the folder is there, and not the mount point of its disk.
    var isThere: Bool {
        access(privateFolder, F_OK) == 0 || access(folder + "/filesinki/c", F_OK) == 0
    }

    /// Checks the folder, and creates the private folder.
    ///
    /// - Parameter creating: Whether to create the folder, or allow one without a store.
    /// - Throws: `Failure`: `not-found` for a folder that is missing or contains no store, `exists` for a
    ///   file; `not-allowed`, `full`, `io`.
    package func prepare(creating: Bool) throws(Failure) {
        if creating {
            _ = try DirectoryRemote.create(path: folder)
        } else if !isThere {
            throw missingError
        }
        // If this fails, writing a file there reports why.
        mkdir(privateFolder, 0o700)
    }

    /// Creates the certificate of `serve --self-signed` if it is missing.
    ///
    /// - Returns: Its fingerprint in hexadecimal.
    /// - Throws: `Failure`: `not-allowed`, `full`, `io`; `corrupt` when its files are damaged.
    package func makeCertificate(_ systemContext: SystemContext) throws(Failure) -> String {
        try SelfSignedFiles(folder: privateFolder, host: "").prepare(systemContext)
    }

    /// Checks the folder, and creates nothing.
    ///
    /// - Throws: `Failure` with code `not-found` for a folder that is missing or contains no store.
    package func requireStore() throws(Failure) {
        if !isThere {
            throw missing(remedy: "Give the store's folder; mount its disk if it is not mounted.")
        }
    }

    private var missingError: Failure {
        missing(
            remedy: "Mount the disk if it is not mounted. "
                + "To set up a new store there, add --create.")
    }

    private func missing(remedy: String) -> Failure {
        let exists = access(folder, F_OK) == 0
        return Failure(
            .notFound, path: folder,
            exists ? "The folder contains no store." : "The folder was not found.",
            remedy: remedy)
    }
}
