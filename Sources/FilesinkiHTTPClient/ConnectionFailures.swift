import AsyncHTTPClient
import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

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
        case let error where isUntrustedCertificate(error):
            untrustedCertificate(address, error)
        case let error where isWithoutTLS(error): withoutTLS(request)
        case let error as NIOConnectionError where error.isUnknownHost:
            Failure(
                .away, path: address, "The host name \(error.host) was not found.",
                remedy: "Check the spelling of the host name, and the network.",
                cause: TransportError(description: "no address for the host name"))
        case let error where errors(behind: error).contains { $0.errnoCode == ECONNREFUSED }:
            Failure(
                .away, path: address, "Connection refused: no server listens at this address.",
                remedy: AddressHint.refused(request)
                    + "Start the server, or check host and port.",
                cause: TransportError(description: words(error)))
        default:
            Failure(
                .away, path: address, "No reply from the server: \(words(error)).",
                remedy: hint(error, of: request)
                    + "Check the address and the network.",
                cause: isSilence(error)
                    ? SilenceError() : TransportError(description: words(error)))
        }
    }

    /// Whether a connection ended because of the server's certificate.
    static func isUntrustedCertificate(_ error: any Error) -> Bool {
        if error as? NIOSSLExtraError == .failedToValidateHostname { return true }
        guard case .handshakeFailed(.sslError(let stack))? = error as? NIOSSLError else {
            return false
        }
        return stack.contains { "\($0)".contains("CERTIFICATE_VERIFY_FAILED") }
    }

    /// Whether the server said nothing, or took nothing, within a limit.
    private static func isSilence(_ error: any Error) -> Bool {
        guard let error = error as? HTTPClientError else { return false }
        return [.readTimeout, .deadlineExceeded, .writeTimeout].contains(error)
    }

    /// Whether what came in place of a handshake is not TLS.
    private static func isWithoutTLS(_ error: any Error) -> Bool {
        guard case .handshakeFailed(.sslError(let stack))? = error as? NIOSSLError else {
            return false
        }
        return stack.contains { "\($0)".contains("WRONG_VERSION_NUMBER") }
    }

    private static func withoutTLS(_ request: HTTPRequest) -> Failure {
        var failure = Failure(
            .away, path: request.addressForMessages,
            "The server does not speak TLS at this address.",
            remedy: AddressHint.withoutTLS(request) + "Check the address.",
            cause: TransportError(description: "no TLS"))
        failure.mayPassSoon = false
        return failure
    }

    private static func untrustedCertificate(_ address: String, _ error: any Error) -> Failure {
        Failure(
            .notAllowed, path: address, "The server's certificate is not trusted.",
            remedy: "Of filesinki serve --self-signed, give with --token-file the file that "
                + "serve token make --self-signed wrote: it holds the fingerprint, too. Else give that with --fingerprint, or "
                + "name the certificate in FILESINKI_CA_FILE.",
            cause: TransportError(description: "\(type(of: error))"))
    }

    /// The mistake in an address that such an error suggests, with a space behind it; else empty.
    private static func hint(_ error: any Error, of request: HTTPRequest) -> String {
        switch error {
        case let error as HTTPClientError where error == .remoteConnectionClosed:
            AddressHint.closed(request)
        // One without TLS may also close the connection.
        case is NIOSSLError: AddressHint.withoutTLS(request)
        default: ""
        }
    }

    /// The errors of the system behind one: a host may have several addresses.
    private static func errors(behind error: any Error) -> [IOError] {
        let all = (error as? NIOConnectionError)?.connectionErrors.map(\.error) ?? [error]
        return all.compactMap { $0 as? IOError }
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError where error == .connectTimeout:
            "connection timed out"
        case let error where isSilence(error): "timed out"
        case let error as HTTPClientError
        where error == .remoteConnectionClosed || error == .uncleanShutdown:
            "connection closed by the server"
        case is NIOConnectionError, is IOError:
            errors(behind: error).first.map { SystemError($0.errnoCode).words.lowercased() }
                ?? "cannot connect"
        case let error as HTTPClientError: error.shortDescription
        case is NIOSSLError: "the TLS handshake failed"
        case is HTTPParserError: "what it sent is not HTTP"
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
