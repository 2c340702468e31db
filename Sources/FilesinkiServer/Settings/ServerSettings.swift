package import FilesinkiModel
import Glibc

/// How a server encrypts.
package enum ServerTLS: Hashable, Sendable {
    /// Not at all: for loopback, or behind a proxy that does.
    case none
    /// By a certificate chain and a key, both PEM files.
    case files(certificate: String, key: String)
    /// By a certificate that it makes for itself in this folder, and finds there again.
    case selfSigned(folder: String)
}

/// All that a server is told before it starts.
package struct ServerSettings: Sendable {
    /// The folder that holds the store.
    package var folder: String
    /// Whether to make the folder, or begin a store in one that holds none.
    package var createsFolder = false
    /// An address or a name of this machine.
    package var host = "127.0.0.1"
    /// 0 for one that is free.
    package var port = 8384
    package var tls: ServerTLS = .none
    /// The file of the tokens; nil for a server that everybody may use.
    package var tokenFile: String?
    /// Whether everybody may use the server until there is a file of tokens.
    package var isOpenUntilFirstToken = false
    /// The file that says which token each device belongs to; nil to know it only while the server runs.
    package var deviceFile: String?
    /// Whether to listen beyond this machine also without tokens or TLS.
    package var allowInsecure = false
    /// The most that the folder may hold, in bytes; nil for what the disk takes.
    package var quota: Int64?
    package var limits = ServerLimits()
    /// What goes wrong on purpose; for tests.
    package var faults = ServerFaults()
    /// Takes the access log, line by line without its end. It must not block for long.
    package var log: @Sendable (String) -> Void = { _ in }
    /// A clock that only goes forward, for rates; a test has its own.
    package var clock: @Sendable () -> Duration = Self.machineClock

    private static let machineClock: @Sendable () -> Duration = {
        let begin = ContinuousClock().now
        return { begin.duration(to: ContinuousClock().now) }
    }()

    package init(folder: String) { self.folder = folder }

    /// Refuses what would offer the store to everybody, or its tokens to whoever listens.
    ///
    /// - Throws: `Failure` with code `usage`.
    package func check() throws(Failure) {
        guard (0...65_535).contains(port), !host.isEmpty else {
            throw Failure(
                .usage, path: "\(host):\(port)", "This is not an address to listen on.",
                remedy: "Write HOST:PORT.")
        }
        guard !allowInsecure, !Self.isLoopback(host) else { return }
        guard tokenFile != nil, !isOpenUntilFirstToken else {
            throw Failure(
                .usage, path: host, "Without tokens everybody could read and fill the store.",
                remedy: "Make a token with filesinki serve token make, or listen on 127.0.0.1 only."
            )
        }
        guard tls != .none else {
            throw Failure(
                .usage, path: host, "Without TLS the tokens could be read on the way.",
                remedy: "Give a certificate, or --self-signed, or listen on 127.0.0.1 only.")
        }
    }

    /// Whether only this machine reaches the address. A name is asked for, but never over a network.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" { return true }
        var v4 = in_addr()
        if inet_pton(AF_INET, host, &v4) == 1 { return UInt32(bigEndian: v4.s_addr) >> 24 == 127 }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, host, &v6) == 1 else { return false }
        return withUnsafeBytes(of: v6) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    }
}

/// Where a server listens, and how to know that it is the right one.
package struct ServerAddress: Hashable, Sendable {
    package var host: String
    package var port: Int
    package var isSecure: Bool
    /// SHA-256 of the certificate that the server made for itself, in hexadecimal.
    package var fingerprint: String?

    /// `https://host:port`
    package var description: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(isSecure ? "https" : "http")://\(host):\(port)"
    }
}
