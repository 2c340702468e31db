/// What one place of settings says of the credentials for some addresses.
struct CredentialEntry: Hashable, Sendable {
    /// Addresses that begin with this are meant; empty for all.
    var address = ""
    var user: String?
    var password: SecretSource?
    var token: SecretSource?

    /// Whether the entry is for an address.
    ///
    /// A prefix ends where a name ends: `https://host/a` is not for `https://host/ab`, and
    /// `https://host` not for `https://host.example`.
    func isFor(_ text: String) -> Bool {
        guard text.hasPrefix(address) else { return false }
        if address.isEmpty || address.hasSuffix("/") { return true }
        let rest = text.dropFirst(address.count)
        return rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix("?")
    }
}
