import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import FilesinkiTesting
import Glibc

@testable import FilesinkiSSH

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

    /// Whether both ways to a store can be tried without sshd.
    static let hasBoth = program != nil && BuiltProgram.network != nil

    /// A host that replies to what was asked for, as the ssh command itself.
    ///
    /// - Parameters:
    ///   - filesinki: What the shell runs where filesinki was asked for; `$FILESINKI` is the program.
    ///   - sftp: The same for SFTP.
    init(filesinki: String, sftp: String = "exec \"$SFTP\"") throws {
        try self.init(
            inShell: """
                far() {
                echo >>"$STORE/../connections"
                case "$*" in
                *' -s -- '*) \(sftp) ;;
                *) \(filesinki) ;;
                esac
                }
                far
                """)
    }

    /// What serves the store where nothing else is wanted.
    static let serving = #"exec "$FILESINKI" serve --stdio "$STORE""#

    /// How many connections there were.
    var connections: Int {
        guard let file = fopen(path + "/../connections", "r") else { return 0 }
        defer { fclose(file) }
        var count = 0
        while fgetc(file) != EOF { count += 1 }
        return count
    }

    /// The server of SFTP as the ssh command itself, in a folder of this machine.
    ///
    /// - Parameter shell: What the shell runs; `$SFTP` is the server, `$STORE` the folder.
    init(shell: String = "exec \"$SFTP\"") throws {
        try self.init(inShell: shell + " #")
    }

    private init(inShell command: String) throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = folder.path("store")
        mkdir(store, 0o755)
        try self.init(
            SSHAddress(url: "ssh://host" + store), folder,
            "SFTP='\(Self.program ?? "")'; FILESINKI='\(BuiltProgram.network ?? "")'; "
                + "STORE='\(store)'; \(command)")
    }

    /// A new folder of a real sshd.
    ///
    /// - Parameter name: Of the folder; nil for any.
    init(_ server: RealServer, name: String? = nil) async throws {
        let address = try await server.sharedAddress()
        let name = name ?? String(UInt64.random(in: .min ... .max), radix: 16)
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

    /// One more way to it, by whatever is at the host.
    ///
    /// - Parameter note: Where it is noted that there is no filesinki.
    func connectToAny(note: String? = nil) -> SSHRemote {
        let link = SSHLink(address, command)
        if let note { link.setNote(note) }
        return SSHRemote(link, systemContext: .ofMachine)
    }

    /// What is at the far end of a new connection.
    func isFilesinki(note: String? = nil) async throws -> Bool {
        let link = SSHLink(address, command)
        if let note { link.setNote(note) }
        if case .filesinki = try await link.way() { return true }
        return false
    }
}

/// The key of a text.
func key(_ text: String) throws -> ObjectKey { try ObjectKey(text) }
