import FilesinkiHTTP
import FilesinkiHTTPClient
import FilesinkiModel
import FilesinkiText

extension ConnectionSettings {
    /// The settings given by the command line and the environment: `FILESINKI_CA_FILE`, and the variables
    /// that curl uses: `https_proxy`, `http_proxy`, `all_proxy`, `no_proxy`.
    ///
    /// - Parameters:
    ///   - certificateFile: The file that the command line names.
    ///   - pinned: The certificates in PEM form to use if no file is named.
    /// - Throws: `Failure` with code `usage` for an invalid proxy address.
    init(
        for address: WebAddress, certificateFile: String? = nil, pinned: String? = nil,
        environment: (String) -> String?
    ) throws(Failure) {
        self.init(certificateFile: certificateFile ?? environment("FILESINKI_CA_FILE"))
        if self.certificateFile == nil { certificates = pinned.map { Array($0.utf8) } }
        func value(_ name: String) -> String? {
            // HTTP_PROXY in upper case is ignored: in a CGI script it comes from the client's request.
            let upper = name == "http_proxy" ? nil : environment(name.uppercased())
            return (environment(name) ?? upper).flatMap { $0.isEmpty ? nil : $0 }
        }
        if address.isLoopback { return }
        if let list = value("no_proxy"), Self.isExcepted(address.host, by: list) { return }
        let name = address.isSecure ? "https_proxy" : "http_proxy"
        guard let text = value(name) ?? value("all_proxy") else { return }
        proxy = try Proxy(parsing: text)
    }

    /// Whether a list such as `localhost,.example.org` contains a host.
    static func isExcepted(_ host: String, by list: String) -> Bool {
        list.split(separator: ",").contains { item in
            var name = item.filter { $0 != " " }.lowercased()[...]
            if name == "*" { return true }
            if name.hasPrefix(".") { name = name.dropFirst() }
            return host == name || !name.isEmpty && host.hasSuffix("." + name)
        }
    }
}

extension ConnectionSettings.Proxy {
    /// Parses `http://user:password@host:port`. By convention, these variables may contain a password.
    init(parsing text: String) throws(Failure) {
        var text = text.contains("://") ? text[...] : "http://\(text)"
        var secret: Secret?
        if let start = text.firstRange(of: "://")?.upperBound,
            let at = text[start...].lastIndex(of: "@")
        {
            secret = PercentCoding.decodedText(text[start..<at]).map(Secret.init)
            text.removeSubrange(start...at)
        }
        guard let address = try? WebAddress(String(text), schemes: ["http": false]) else {
            throw Failure(
                .usage, "Invalid proxy address.",
                remedy: "Write http://host:port; other kinds of proxies are not supported.")
        }
        self.init(host: address.host, port: address.port ?? 3128, authorization: secret)
    }
}
