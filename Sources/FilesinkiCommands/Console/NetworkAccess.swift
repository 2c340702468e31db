package import FilesinkiRemote

/// What a program can do over a network: the way in which `filesinki` and `filesinki-net`, which have
/// the same commands, differ.
package struct NetworkAccess: Sendable {
    /// Opens the remote at an address such as `https://host/path`.
    package var connect: @Sendable (String) throws -> any Remote
    /// Called before a command does anything that cannot be done again, when it will need a network.
    package var prepare: @Sendable () throws -> Void
    /// Offers a store to others until it is told to end.
    package var serve: Serve
    /// Makes, lists or revokes what lets others in: those that were made, are there, or were revoked.
    package var tokens: @Sendable (TokenRequest) async throws -> [TokenNotice]

    /// Serves, and tells what happens meanwhile.
    package typealias Serve =
        @Sendable (ServeOptions, @escaping @Sendable (ServeNotice) -> Void) async throws -> Void

    package init(
        connect: @escaping @Sendable (String) throws -> any Remote,
        prepare: @escaping @Sendable () throws -> Void = {},
        serve: @escaping Serve,
        tokens: @escaping @Sendable (TokenRequest) async throws -> [TokenNotice]
    ) {
        self.connect = connect
        self.prepare = prepare
        self.serve = serve
        self.tokens = tokens
    }
}
