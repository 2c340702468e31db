import FilesinkiModel
package import FilesinkiRemote
import FilesinkiSystem
import Glibc

/// What a program can do over a network: the way in which `filesinki` and `filesinki-net`, which have
/// the same commands, differ.
package struct NetworkAccess: Sendable {
    /// Opens the remote at an address such as `https://host/path`.
    package var connect: @Sendable (String, RemoteAccess) throws -> any Remote
    /// Keeps what the command line or the environment says of reaching a remote in the replica's own
    /// file, for its later runs.
    package var pin: @Sendable (String, RemoteAccess) throws -> Void
    /// Called before a command does anything that cannot be done again, when it will need a network.
    package var prepare: @Sendable () throws -> Void
    /// Serves a store until the process is asked to end.
    package var serve: Serve
    /// Makes, lists or revokes what lets others in: those that were made, are there, or were revoked.
    package var tokens: @Sendable (TokenRequest) async throws -> [TokenNotice]

    /// Serves, and tells what happens meanwhile.
    package typealias Serve =
        @Sendable (ServeOptions, @escaping @Sendable (ServeNotice) -> Void) async throws -> Void

    /// Shows a replica in a browser until the process is asked to end; tells the address.
    package var page: Page

    package typealias Page =
        @Sendable (PageOptions, @escaping @Sendable (String) -> Void) async throws -> Void

    /// Tells a monitor how a command ended; throws when the monitor was not reached.
    package var ping: @Sendable (PingRequest) async throws -> Void

    /// Whether this program has a network, and need not become another one to reach it.
    package var isPresent = true

    package init(
        connect: @escaping @Sendable (String, RemoteAccess) throws -> any Remote,
        pin: @escaping @Sendable (String, RemoteAccess) throws -> Void = { _, _ in },
        prepare: @escaping @Sendable () throws -> Void = {},
        serve: @escaping Serve,
        tokens: @escaping @Sendable (TokenRequest) async throws -> [TokenNotice],
        page: @escaping Page = { _, _ in },
        ping: @escaping @Sendable (PingRequest) async throws -> Void = { _ in }
    ) {
        self.connect = connect
        self.pin = pin
        self.prepare = prepare
        self.serve = serve
        self.tokens = tokens
        self.page = page
        self.ping = ping
    }
}

/// The program that has what this one leaves out, so that a script which calls this one in a loop
/// does not pay for a network that it does not use.
///
/// It takes this one's place in the process with the same arguments and streams, and begins the
/// command from the start. Nothing is lost: until then the command has only read its settings.
package enum NetworkProgram {
    package static let name = "filesinki-net"

    /// What `filesinki` itself can do: become the other.
    package static let standIn: NetworkAccess = {
        var standIn = refusing { become() }
        standIn.isPresent = false
        return standIn
    }()

    /// A network of which nothing can be used.
    fileprivate static func refusing(
        _ failure: @escaping @Sendable () -> Failure
    ) -> NetworkAccess {
        NetworkAccess(
            connect: { _, _ in throw failure() },
            pin: { _, _ in throw failure() },
            prepare: { throw failure() },
            serve: { _, _ in throw failure() },
            tokens: { _ in throw failure() },
            page: { _, _ in throw failure() },
            ping: { _ in throw failure() })
    }

    /// Where the other is, seen from the folder of this program: beside it when it was just built,
    /// in a folder of its own when it was installed.
    static let places = ["", "../libexec/filesinki/"]

    /// Puts the other in this one's place.
    ///
    /// - Returns: Only when that cannot be done; why.
    private static func become() -> Failure {
        guard let folder = folderOfProgram() else { return missing("/proc/self/exe") }
        for place in places {
            let path = folder + place + name
            // Streams stay open; everything else was opened to be closed here.
            if access(path, X_OK) == 0 { ProcessArguments.replaceProgram(by: path) }
        }
        return missing(folder + name)
    }

    private static func folderOfProgram() -> String? {
        guard let path = pathOfProgram(), let end = path.lastIndex(of: "/") else { return nil }
        return String(path[...end])
    }

    /// Where the program of this process is; nil if that is not known.
    static func pathOfProgram() -> String? {
        let limit = Int(PATH_MAX)
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = buffer.withMemoryRebound(to: CChar.self) { text in
                text.baseAddress.map { max(0, readlink("/proc/self/exe", $0, limit)) } ?? 0
            }
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private static func missing(_ path: String) -> Failure {
        Failure(
            .usage, path: path, "The network program of filesinki is not installed.",
            remedy: "Install \(name) beside filesinki, as make install does.")
    }
}

extension NetworkAccess {
    /// The same for a process that must go on, because it does more than one command.
    var withoutBecoming: NetworkAccess {
        guard !isPresent else { return self }
        return NetworkProgram.refusing {
            Failure(
                .usage, "The remote needs a network, which this process was started without.",
                remedy: "Start filesinki rpc again: it looks at the remote when it starts.")
        }
    }
}
