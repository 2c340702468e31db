/// How connections to a server are made.
package struct ConnectionSettings: Hashable, Sendable {
    /// The PEM file of certificates that are trusted besides the system's; nil for the system's only.
    package var certificateFile: String?
    /// Such certificates in PEM form, where no file is named.
    package var certificates: [UInt8]?
    /// A proxy's host and port; nil for a straight connection.
    package var proxy: Proxy?
    /// How many connections to one server are open at once.
    package var connections: Int
    /// How long making a connection may take.
    package var connectLimit: Duration
    /// How long the other side may be silent in the middle of an exchange.
    package var silenceLimit: Duration

    package struct Proxy: Hashable, Sendable {
        package var host: String
        package var port: Int
        package var authorization: Secret?

        package init(host: String, port: Int, authorization: Secret? = nil) {
            self.host = host
            self.port = port
            self.authorization = authorization
        }
    }

    package init(
        certificateFile: String? = nil, proxy: Proxy? = nil, connections: Int = 8,
        connectLimit: Duration = .seconds(10), silenceLimit: Duration = .seconds(30)
    ) {
        self.certificateFile = certificateFile
        self.proxy = proxy
        self.connections = connections
        self.connectLimit = connectLimit
        self.silenceLimit = silenceLimit
    }
}
