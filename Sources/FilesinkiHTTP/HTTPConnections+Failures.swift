import AsyncHTTPClient
import FilesinkiModel
import NIOCore
import NIOPosix
import NIOSSL

extension HTTPConnections {
    /// What an exchange without a whole reply means.
    static func failure(_ error: any Error, _ request: HTTPRequest) -> any Error {
        switch error {
        case let failure as Failure: failure
        case is CancellationError: error
        case let error as HTTPClientError where error == .cancelled: CancellationError()
        case let error as NIOSSLError where isDistrust(error): distrust(request, error)
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            distrust(request, error)
        case let error as NIOConnectionError where error.isUnknownHost:
            Failure(
                .away, path: request.place, "The host name \(error.host) was not found.",
                remedy: "Check the spelling of the host name, and the network.",
                cause: TransportFault(description: "no address for the host name"))
        default:
            Failure(
                .away, path: request.place, "The server did not answer: \(words(error)).",
                remedy: "Check the address and the network; what was to be sent is kept.",
                cause: TransportFault(description: words(error)))
        }
    }

    private static func isDistrust(_ error: NIOSSLError) -> Bool {
        guard case .handshakeFailed(let inner) = error, case .sslError(let stack) = inner else {
            return false
        }
        return stack.contains { "\($0)".contains("CERTIFICATE_VERIFY_FAILED") }
    }

    private static func distrust(_ request: HTTPRequest, _ error: any Error) -> Failure {
        Failure(
            .notAllowed, path: request.place, "The server's certificate is not trusted.",
            remedy: "Name the certificate to trust in FILESINKI_CA_FILE, if you know that it is "
                + "the server's.", cause: TransportFault(description: "\(type(of: error))"))
    }

    /// A few words for the common troubles.
    private static func words(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError where error == .connectTimeout:
            "no connection in time"
        case let error as HTTPClientError
        where error == .readTimeout || error == .deadlineExceeded || error == .writeTimeout:
            "it was silent for too long"
        case let error as HTTPClientError
        where error == .remoteConnectionClosed || error == .uncleanShutdown:
            "the connection was cut"
        case is NIOConnectionError: "no connection"
        case let error as IOError: error.description
        case let error as HTTPClientError: error.shortDescription
        // Whatever else an error holds, it could be a field of the request: a password.
        default: "\(type(of: error))"
        }
    }
}

extension NIOConnectionError {
    /// Whether the name of the host has no address, or none that could be looked up.
    fileprivate var isUnknownHost: Bool {
        connectionErrors.isEmpty && (dnsAError != nil || dnsAAAAError != nil)
    }
}

/// Why there was no reply, in words that hold nothing of the request.
struct TransportFault: Error, CustomStringConvertible {
    let description: String
}

extension HTTPRequest {
    /// The address without what comes after a question mark, which may be signed.
    var place: String { String(url.prefix { $0 != "?" }) }
}
