import FilesinkiModel
import FilesinkiRemote
import FilesinkiSSH
import FilesinkiTesting
import Glibc

/// A folder that is reached over SFTP, with a store in it.
struct SFTPHost: Sendable {
    let address: SSHAddress
    let command: SSHCommand
    private let folder: TemporaryFolder?

    /// Where Debian and others have OpenSSH's server of SFTP.
    static let program: String? = {
        let places = ["lib/openssh", "lib/ssh", "libexec", "libexec/openssh"]
        return places.map { "/usr/\($0)/sftp-server" }.first { access($0, X_OK) == 0 }
    }()

    /// The server of SFTP as the ssh command itself, in a folder of this machine.
    ///
    /// - Parameter shell: What the shell runs; `$SFTP` is the server, `$STORE` the folder.
    init(shell: String = "exec \"$SFTP\"") throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = folder.path("store")
        mkdir(store, 0o755)
        try self.init(
            SSHAddress(url: "ssh://host" + store), folder,
            "SFTP='\(Self.program ?? "")'; STORE='\(store)'; \(shell) #")
    }

    /// A new folder of a real sshd.
    init(_ server: RealServer) async throws {
        let address = try await server.sharedAddress()
        let name = String(UInt64.random(in: .min ... .max), radix: 16)
        let store = try SSHAddress(url: "\(address)/\(name)")
        mkdir(String(decoding: store.path, as: UTF8.self), 0o755)
        try self.init(store, nil, RealServer.sshCommand(for: address))
    }

    private init(_ address: SSHAddress, _ folder: TemporaryFolder?, _ command: String) throws {
        self.address = address
        self.folder = folder
        self.command = SSHCommand(environment: { _ in command })
    }

    /// The path of the store's folder.
    var path: String { String(decoding: address.path, as: UTF8.self) }

    /// One more way to it, with a connection of its own.
    func connect() -> SFTPRemote {
        SFTPRemote(address, command, systemContext: ManualClock().systemContext)
    }

    /// As in the product, what fails in passing is tried again.
    func connectRetrying() -> RetryingRemote {
        RetryingRemote(connect(), systemContext: ManualClock().systemContext)
    }
}

/// The key of a text.
func key(_ text: String) throws -> ObjectKey { try ObjectKey(text) }
