/// What `serve` was asked for.
package struct ServeOptions: Sendable {
    /// How connections to the server are encrypted.
    package enum Encryption: Sendable {
        case none
        /// The PEM files of a certificate, with those that vouch for it, and of its key.
        case files(certificate: String, key: String)
        /// A certificate that the server makes for itself and keeps with its tokens.
        case selfSigned
    }

    /// The absolute path of the folder with the store.
    package var folder: String
    /// An address of this machine, without brackets.
    package var host: String
    /// 0 for any that is free.
    package var port: Int
    package var encryption = Encryption.none
    /// Whether to listen to other machines without tokens or encryption.
    package var isInsecure = false
    /// How large the store may become, in bytes; nil for no limit.
    package var quota: Int64?
    /// The absolute path of the file that gets a line for each request; nil for none, `-` for
    /// standard error.
    package var accessLog: String?
    /// Faults on purpose, for tests.
    package var faults: [String] = []

    package init(folder: String, host: String, port: Int) {
        self.folder = folder
        self.host = host
        self.port = port
    }
}

/// What `serve token` was asked for.
package struct TokenRequest: Sendable {
    package enum Action: Sendable {
        case make(name: String, rights: [String], zones: [String])
        case list
        case revoke(id: String)
    }

    /// The absolute path of the folder with the store.
    package var folder: String
    package var action: Action

    package init(folder: String, action: Action) {
        self.folder = folder
        self.action = action
    }
}
