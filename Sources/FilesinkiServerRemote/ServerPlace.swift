package import FilesinkiHTTP

/// Where a `filesinki serve` is, and how it is spoken to.
package struct ServerPlace: Sendable {
    package var address: WebAddress
    package var transport: any HTTPTransport
    package var credentials: Credentials
    /// Whether a token may be sent to another machine without encryption.
    package var isInsecure: Bool

    package init(
        _ address: WebAddress, transport: any HTTPTransport, credentials: Credentials = .none,
        isInsecure: Bool = false
    ) {
        self.address = address
        self.transport = transport
        self.credentials = credentials
        self.isInsecure = isInsecure
    }
}
