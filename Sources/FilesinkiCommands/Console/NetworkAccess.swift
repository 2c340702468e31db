package import FilesinkiRemote

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
    /// Offers a store to others until it is told to end.
    package var serve: Serve
    /// Makes, lists or revokes what lets others in: those that were made, are there, or were revoked.
    package var tokens: @Sendable (TokenRequest) async throws -> [TokenNotice]

    /// Serves, and tells what happens meanwhile.
    package typealias Serve =
        @Sendable (ServeOptions, @escaping @Sendable (ServeNotice) -> Void) async throws -> Void

    /// Tells a monitor how a command ended; throws when the monitor was not reached.
    package var ping: @Sendable (PingRequest) async throws -> Void

    package init(
        connect: @escaping @Sendable (String, RemoteAccess) throws -> any Remote,
        pin: @escaping @Sendable (String, RemoteAccess) throws -> Void = { _, _ in },
        prepare: @escaping @Sendable () throws -> Void = {},
        serve: @escaping Serve,
        tokens: @escaping @Sendable (TokenRequest) async throws -> [TokenNotice],
        ping: @escaping @Sendable (PingRequest) async throws -> Void = { _ in }
    ) {
        self.connect = connect
        self.pin = pin
        self.prepare = prepare
        self.serve = serve
        self.tokens = tokens
        self.ping = ping
    }
}
