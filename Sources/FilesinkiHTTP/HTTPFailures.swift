import AsyncHTTPClient
package import FilesinkiModel
import FilesinkiText
import NIOCore
import NIOPosix
import NIOSSL

extension HTTPReply {
    /// The failure that an unexpected status means.
    ///
    /// - Parameters:
    ///   - key: The key or address for the message.
    ///   - address: The server's address.
    package func failure(_ key: String, at address: String) -> Failure {
        switch status {
        case 401, 407:
            Failure(
                .notAllowed, path: key, "Authentication failed at \(address) (\(status)).",
                remedy: "Set FILESINKI_TOKEN, or FILESINKI_USER and FILESINKI_PASSWORD; see "
                    + "filesinki help credentials.")
        case 403:
            Failure(
                .notAllowed, path: key, "Permission denied at \(address) (403).",
                remedy: "Ask the server's administrator for permission.")
        case 413, 507:
            Failure(
                .limit, path: key, "No space left at \(address) (\(status)).",
                remedy: "Free space at the server, or raise its quota.")
        case 300..<400:
            Failure(
                .away, path: key, "\(address) redirects to another address (\(status)).",
                remedy:
                    "Redirects are not followed. Set the right address with filesinki remote set "
                    + "URL.")
        case 408, 425, 429, 500..<600: unavailable(key, address)
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

    private func unavailable(_ key: String, _ address: String) -> Failure {
        var failure = Failure(
            .away, path: key, "\(address) is temporarily unavailable (\(status)).",
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

/// Why there was no reply, in words that contain nothing of the request.
struct TransportError: Error, CustomStringConvertible {
    let description: String
}

extension HTTPConnections {
    /// The failure that an exchange without a complete reply means; a cancellation stays one.
    static func failure(_ error: any Error, _ request: HTTPRequest) -> any Error {
        let address = request.addressForMessages
        return switch error {
        case let failure as Failure: failure
        case is CancellationError: error
        case let error as HTTPClientError where error == .cancelled: CancellationError()
        case let error as NIOSSLError where isUntrustedCertificate(error):
            untrustedCertificate(address, error)
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            untrustedCertificate(address, error)
        case let error as NIOConnectionError where error.isUnknownHost:
            Failure(
                .away, path: address, "The host name \(error.host) was not found.",
                remedy: "Check the spelling of the host name, and the network.",
                cause: TransportError(description: "no address for the host name"))
        default:
            Failure(
                .away, path: address, "No reply from the server: \(words(error)).",
                remedy: "Check the address and the network. Changes that were not sent are kept.",
                cause: TransportError(description: words(error)))
        }
    }

    private static func isUntrustedCertificate(_ error: NIOSSLError) -> Bool {
        guard case .handshakeFailed(let inner) = error, case .sslError(let stack) = inner else {
            return false
        }
        return stack.contains { "\($0)".contains("CERTIFICATE_VERIFY_FAILED") }
    }

    private static func untrustedCertificate(_ address: String, _ error: any Error) -> Failure {
        Failure(
            .notAllowed, path: address, "The server's certificate is not trusted.",
            remedy: "If you know that it is the server's, give its fingerprint with --fingerprint, "
                + "or name it in FILESINKI_CA_FILE.",
            cause: TransportError(description: "\(type(of: error))"))
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError where error == .connectTimeout:
            "connection timed out"
        case let error as HTTPClientError
        where error == .readTimeout || error == .deadlineExceeded || error == .writeTimeout:
            "timed out"
        case let error as HTTPClientError
        where error == .remoteConnectionClosed || error == .uncleanShutdown:
            "connection closed by the server"
        case is NIOConnectionError: "cannot connect"
        case let error as IOError: error.description
        case let error as HTTPClientError: error.shortDescription
        // Other errors may contain a field of the request, such as a password.
        default: "\(type(of: error))"
        }
    }
}

extension NIOConnectionError {
    /// Whether the host name has no address, or its look-up failed.
    fileprivate var isUnknownHost: Bool {
        connectionErrors.isEmpty && (dnsAError != nil || dnsAAAAError != nil)
    }
}
