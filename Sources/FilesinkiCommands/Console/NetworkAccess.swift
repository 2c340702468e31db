package import FilesinkiRemote

/// What a program can do over a network: the way in which `filesinki` and `filesinki-net`, which have
/// the same commands, differ.
package struct NetworkAccess: Sendable {
    /// Opens the remote at an address such as `https://host/path`.
    package var connect: @Sendable (String) throws -> any Remote
    /// Called before a command does anything that cannot be done again, when it will need a network.
    package var prepare: @Sendable () throws -> Void
    /// Offers a store to others until it is told to end.
    package var serve: @Sendable (ServeOptions, Console) async throws -> Void
    /// Makes, lists or revokes what lets others in.
    package var tokens: @Sendable (TokenRequest, Console) async throws -> Void

    /// Tells a monitor how a command ended; throws when the monitor was not reached.
    package var ping: @Sendable (PingRequest) async throws -> Void

    package init(
        connect: @escaping @Sendable (String) throws -> any Remote,
        prepare: @escaping @Sendable () throws -> Void = {},
        serve: @escaping @Sendable (ServeOptions, Console) async throws -> Void,
        tokens: @escaping @Sendable (TokenRequest, Console) async throws -> Void,
        ping: @escaping @Sendable (PingRequest) async throws -> Void = { _ in }
    ) {
        self.connect = connect
        self.prepare = prepare
        self.serve = serve
        self.tokens = tokens
        self.ping = ping
    }
}
