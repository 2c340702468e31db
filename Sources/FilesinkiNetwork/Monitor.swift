import FilesinkiHTTP
import FilesinkiModel

/// A monitor that wants to hear how commands end, reached over HTTP.
package struct Monitor: Sendable {
    /// How long the monitor may take.
    private let limit: Duration
    private let environment: @Sendable (String) -> String?

    /// - Parameters:
    ///   - limit: For the whole exchange.
    ///   - environment: Gives a variable's value, such as `https_proxy`.
    package init(limit: Duration, environment: @escaping @Sendable (String) -> String?) {
        self.limit = limit
        self.environment = environment
    }

    /// Makes one request; it is not tried again.
    ///
    /// - Parameter body: What a POST says; nil for a GET.
    /// - Throws: `Failure` with code `away` when there is no answer in time, `not-allowed` when the
    ///   answer is no success. The address is a secret by which others could speak to the monitor,
    ///   so no failure holds it.
    package func tell(_ url: String, body: String?) async throws {
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        let place = try WebAddress(String(url[..<end]), schemes: ["http": false, "https": true])
        let settings = try ConnectionSettings(for: place, environment: environment)
        var request = HTTPRequest(body == nil ? "GET" : "POST", url, limit: limit)
        request.body = Array((body ?? "").utf8)
        let reply: HTTPReply
        do {
            reply = try await HTTPConnections(settings).send(request)
        } catch let failure as Failure {
            throw Failure(
                failure.code, path: place.authority, failure.message, remedy: failure.remedy)
        }
        guard reply.isSuccess else {
            throw Failure(
                .notAllowed, path: place.authority, "It answered with \(reply.status).",
                remedy: "Check the address that --ping-url has.")
        }
    }
}
