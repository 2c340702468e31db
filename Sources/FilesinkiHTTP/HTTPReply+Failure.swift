package import FilesinkiModel
import FilesinkiText

extension HTTPReply {
    /// What the status means when it is not one that the request can do with.
    ///
    /// - Parameters:
    ///   - key: The object or address that it is about.
    ///   - address: The server's address, for the remedy.
    package func failure(_ key: String, at address: String) -> Failure {
        switch status {
        case 401, 407:
            Failure(
                .notAllowed, path: key, "Authentication failed at \(address) (\(status)).",
                remedy: "Set FILESINKI_TOKEN, or FILESINKI_USER and FILESINKI_PASSWORD; see "
                    + "filesinki help credentials.")
        case 403:
            Failure(
                .notAllowed, path: key, "\(address) does not allow this (403).",
                remedy: "Ask the server's administrator for permission.")
        case 413, 507:
            Failure(
                .limit, path: key, "\(address) has no room for this (\(status)).",
                remedy: "Make room at the server, or raise its quota.")
        case 300..<400:
            Failure(
                .away, path: key,
                "\(address) sends requests elsewhere (\(status)), which is not followed.",
                remedy: "Set the address that is meant with filesinki remote set URL.")
        case 408, 425, 429, 500..<600: isAway(key, address)
        case 409, 412, 423:
            Failure(
                .busy, path: key, "\(address) is at work on this (\(status)).",
                remedy: "Run the command again.")
        default:
            Failure(
                .away, path: key, "\(address) gave an answer that makes no sense (\(status)).",
                remedy: "Check the address with filesinki remote check URL.")
        }
    }

    private func isAway(_ key: String, _ address: String) -> Failure {
        var failure = Failure(
            .away, path: key, "\(address) cannot serve this now (\(status)).",
            remedy: "Run the command again later.")
        failure.retryAfter = retryAfter
        return failure
    }

    /// How long the server asked to be left alone: seconds, or a moment of the server's own clock.
    private var retryAfter: Duration? {
        guard let text = fields["Retry-After"] else { return nil }
        if let seconds = Int64(text) { return seconds < 0 ? nil : .seconds(min(seconds, 86_400)) }
        guard let end = DateText.seconds(http: text),
            let now = fields["Date"].flatMap(DateText.seconds(http:))
        else { return nil }
        return .seconds(min(max(0, end - now), 86_400))
    }
}
