package import FilesinkiModel
import FilesinkiText

extension HTTPReply {
    /// The failure that an unexpected status means.
    ///
    /// What concerns the whole server is about its address: a key would suggest that an object is damaged.
    ///
    /// - Parameters:
    ///   - key: The key or address for the message.
    ///   - address: The server's address.
    package func failure(_ key: String, at address: String) -> Failure {
        switch status {
        case 401, 407:
            Failure(
                .notAllowed, path: address, "Authentication failed (\(status)).",
                remedy: "Check the credentials: see filesinki help credentials."
            ).about(.noAccount)
        case 403:
            Failure(
                .notAllowed, path: address, "Permission denied (403).",
                remedy: "Ask the server's administrator for permission."
            ).about(.restricted)
        case 413, 507:
            // A reply that a proxy gives to a large request says nothing of the space.
            Failure(
                status == 507 ? .full : .limit, path: key,
                "No space left at \(address) (\(status)).",
                remedy: "Free space at the server, as filesinki prune does, or raise its quota.")
        case 300..<400:
            Failure(
                .away, path: address, "The server redirects to another address (\(status)).",
                remedy:
                    "Redirects are not followed. Set the right address with filesinki remote set "
                    + "URL.")
        case 408, 425, 429, 500..<600: unavailable(address)
        case 409, 412, 423:
            Failure(
                .busy, path: key, "Conflicting request at \(address) (\(status)).",
                remedy: "Run the command again.")
        default:
            Failure(
                .away, path: key, "Unexpected status \(status) from \(address).",
                remedy: "Check the address with filesinki remote check URL.")
        }
    }

    private func unavailable(_ address: String) -> Failure {
        var failure = Failure(
            .away, path: address, "The server is temporarily unavailable (\(status)).",
            remedy: "Run the command again later.")
        failure.retryAfter = retryAfter
        return failure
    }

    /// The value of `Retry-After`, which is in seconds or a time of the server's clock; at most a day.
    private var retryAfter: Duration? {
        guard let text = fields["Retry-After"] else { return nil }
        if let seconds = Int64(text) { return seconds < 0 ? nil : .seconds(min(seconds, 86_400)) }
        guard let end = DateText.seconds(http: text),
            let now = fields["Date"].flatMap(DateText.seconds(http:))
        else { return nil }
        return .seconds(min(max(0, end - now), 86_400))
    }
}
