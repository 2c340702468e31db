package import FilesinkiModel

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
    /// Whether to make the folder, or begin a store in one that holds none.
    package var isCreating = false
    /// An address of this machine, without brackets.
    package var host: String
    /// 0 for any that is free.
    package var port: Int
    package var encryption = Encryption.none
    /// Whether to listen to other machines without tokens or encryption.
    package var isInsecure = false
    /// How large the store may become, in bytes; nil for no limit.
    package var quota: Int64?
    /// Faults on purpose, for tests.
    package var faults: [String] = []

    package init(folder: String, host: String, port: Int) {
        self.folder = folder
        self.host = host
        self.port = port
    }
}

/// What a server tells while it runs.
package enum ServeNotice: Sendable {
    /// Connections are accepted.
    case ready(Ready)
    /// A request was answered: a line of the access log.
    case request(String)

    package struct Ready: Sendable {
        package var address: String
        /// The SHA-256, in hexadecimal, of a certificate that the server made for itself.
        package var fingerprint: String?
        /// The file of that certificate, which others may trust.
        package var certificate: String?
        /// Whether everybody who reaches the address may read and change the store.
        package var isOpen: Bool

        package init(
            address: String, fingerprint: String? = nil, certificate: String? = nil,
            isOpen: Bool = false
        ) {
            self.address = address
            self.fingerprint = fingerprint
            self.certificate = certificate
            self.isOpen = isOpen
        }
    }
}

/// What is known of a token.
package struct TokenNotice: Sendable {
    package var id: String
    package var name: String
    package var rights: [String]
    /// Nil for all.
    package var zones: [String]?
    package var made: Timestamp
    /// The token itself; nil but for one that was just made.
    package var secret: String?

    package init(
        id: String, name: String, rights: [String], zones: [String]?, made: Timestamp,
        secret: String?
    ) {
        self.id = id
        self.name = name
        self.rights = rights
        self.zones = zones
        self.made = made
        self.secret = secret
    }
}

/// What `serve token` was asked for.
package struct TokenRequest: Sendable {
    package enum Action: Sendable {
        case make(Make)
        case list
        case revoke(id: String)
    }

    /// The token that is to be made.
    package struct Make: Sendable {
        package var name: String
        package var rights: [String]
        /// Empty for all.
        package var zones: [String]
        /// Whether to make the folder, or begin a store in one that holds none.
        package var isCreating = false
        /// The absolute path of the file that the token is written to, for its owner alone; nil to
        /// return it.
        package var output: String?

        package init(name: String, rights: [String], zones: [String] = []) {
            self.name = name
            self.rights = rights
            self.zones = zones
        }
    }

    /// The absolute path of the folder with the store.
    package var folder: String
    package var action: Action

    package init(folder: String, action: Action) {
        self.folder = folder
        self.action = action
    }
}
