import FilesinkiHTTP
import FilesinkiModel
import Glibc
import NIOCore
import NIOHTTP1
import NIOSSL
import Testing

@testable import FilesinkiHTTPClient

/// What an error of a connection means to a person, without a connection.
@Suite("Failures of connections")
struct ConnectionFailureTests {
    private func request(_ place: String? = nil) -> HTTPRequest {
        var request = HTTPRequest(
            "GET", "https://h.example/log?signature=hunter2",
            fields: ["Authorization": "hunter2"])
        request.place = place
        return request
    }

    private func failure(_ error: any Error, _ place: String? = nil) -> Failure? {
        HTTPConnections.failure(error, request(place)) as? Failure
    }

    @Test func `a failure and a cancellation stay what they are`() {
        let known = Failure(.limit, path: "a", "Too long.", remedy: "Wait.")
        #expect(failure(known)?.description == known.description)
        #expect(HTTPConnections.failure(CancellationError(), request()) is CancellationError)
    }

    @Test(
        "an error of the system is said in its words",
        arguments: [
            (ETIMEDOUT, "connection timed out"), (ECONNRESET, "connection reset by peer"),
            (ENETUNREACH, "network is unreachable"), (EPIPE, "broken pipe"),
        ])
    func system(_ number: Int32, _ words: String) {
        let failure = failure(IOError(errnoCode: number, reason: "hunter2"))
        #expect(failure?.code == .away)
        #expect(failure?.path == Array("https://h.example".utf8))
        #expect(failure?.message == "No reply from the server: \(words).")
        #expect(failure?.remedy == "Check the address and the network.")
        #expect("\(failure?.cause.map { "\($0)" } ?? "")" == words)
    }

    @Test func `a refused connection is no server, and a missing port may be why`() {
        let refused = IOError(errnoCode: ECONNREFUSED, reason: "")
        let failure = failure(refused)
        #expect(failure?.code == .away)
        #expect(failure?.message == "Connection refused: no server listens at this address.")
        #expect(
            failure?.remedy
                == "For filesinki serve, write its port, such as https://h.example:8390. "
                + "Start the server, or check host and port.")
        #expect(
            self.failure(refused, "s3://b")?.remedy == "Start the server, or check host and port.")
        #expect(self.failure(refused, "s3://b")?.path == Array("s3://b".utf8))
    }

    @Test func `a certificate of another host is not trusted`() {
        let error = NIOSSLExtraError.failedToValidateHostname
        let failure = failure(error)
        #expect(failure?.code == .notAllowed)
        #expect(failure?.message == "The server's certificate is not trusted.")
        for word in ["--token-file", "--fingerprint", "FILESINKI_CA_FILE"] {
            #expect(failure?.remedy.contains(word) == true)
        }
        #expect(HTTPConnections.isUntrustedCertificate(error))
        #expect(!HTTPConnections.isUntrustedCertificate(NIOSSLError.uncleanShutdown))
        #expect(!HTTPConnections.isUntrustedCertificate(CancellationError()))
    }

    @Test func `a handshake that failed may be one with a server without TLS`() {
        let failure = failure(NIOSSLError.uncleanShutdown)
        #expect(failure?.code == .away && failure?.mayPassSoon == true)
        #expect(failure?.message == "No reply from the server: the TLS handshake failed.")
        #expect(
            failure?.remedy == "Without TLS, write http://. Check the address and the network.")
    }

    @Test("a server of something else, as sshd, is no server of HTTP")
    func otherProtocol() {
        let failure = failure(HTTPParserError.invalidVersion)
        #expect(failure?.code == .away)
        #expect(failure?.message == "No reply from the server: what it sent is not HTTP.")
        #expect(failure?.remedy == "Check the address and the network.")
    }

    private struct Telling: Error, CustomStringConvertible {
        let description = "Authorization: hunter2"
    }

    @Test func `an error that may contain a part of the request is named by its type`() {
        let failure = failure(Telling())
        #expect(failure?.message == "No reply from the server: Telling.")
        let text = "\(String(describing: failure)) \(String(describing: failure?.cause))"
        #expect(!text.contains("hunter2"))
    }

    // MARK: Hints

    @Test(
        "the scheme without TLS is that of the remote",
        arguments: [
            ("https://h", "Without TLS, write http://. "),
            ("webdavs://h/x", "Without TLS, write webdav://. "),
            ("davs://h/x", "Without TLS, write dav://. "),
            ("s3://b?endpoint=h", "Without TLS, write endpoint=http://h.example. "),
            ("http://h", "Check the port. "), ("rclone:r:", "Check the port. "),
        ])
    func withoutTLS(_ place: String, _ hint: String) {
        #expect(AddressHint.withoutTLS(request(place)) == hint)
    }

    @Test(
        "a server that closes the connection may want TLS",
        arguments: [
            ("http://h", "If the server uses TLS, write https:// or webdavs://. "),
            ("webdav://h", "If the server uses TLS, write webdavs://. "), ("https://h", ""),
            ("webdavs://h", ""), ("s3://b", ""),
        ])
    func closed(_ place: String, _ hint: String) {
        #expect(AddressHint.closed(request(place)) == hint)
    }
}
