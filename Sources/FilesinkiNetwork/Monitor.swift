import FilesinkiHTTP
import FilesinkiHTTPClient
import FilesinkiModel

/// A monitoring service that is told over HTTP how commands end.
package struct Monitor: Sendable {
    /// The time limit of the exchange.
    private let limit: Duration
    private let environment: @Sendable (String) -> String?

    /// - Parameters:
    ///   - limit: The time limit of the whole exchange.
    ///   - environment: Returns the value of a variable such as `https_proxy`.
    package init(limit: Duration, environment: @escaping @Sendable (String) -> String?) {
        self.limit = limit
        self.environment = environment
    }

    /// Sends one request, without retrying.
    ///
    /// - Parameter body: The body of a POST; nil for a GET.
    /// - Throws: `Failure` with code `away` when there is no reply in time, `not-allowed` when the reply is
    ///   not a success. No failure contains the address, because anyone who knows it could send to the
    ///   monitor.
    package func ping(_ url: String, body: String?) async throws {
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        let address = try WebAddress(String(url[..<end]), schemes: ["http": false, "https": true])
        let settings = try ConnectionSettings(for: address, environment: environment)
        var request = HTTPRequest(body == nil ? "GET" : "POST", url, limit: limit)
        request.body = Array((body ?? "").utf8)
        let reply: HTTPReply
        do {
            reply = try await HTTPConnections(settings).send(request)
        } catch let failure as Failure {
            throw Failure(
                failure.code, path: address.authority, failure.message, remedy: failure.remedy)
        }
        guard reply.isSuccess else {
            throw Failure(
                .notAllowed, path: address.authority,
                "The monitor replied with status \(reply.status).",
                remedy: "Check the address given with --ping-url.")
        }
    }
}
