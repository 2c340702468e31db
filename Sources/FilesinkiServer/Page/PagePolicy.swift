import FilesinkiHashing
import FilesinkiText
import HTTPTypes

/// What a page may do: run its own style and scripts and call its own server, and nothing else.
struct PagePolicy: Sendable {
    private let content: String

    /// - Parameters:
    ///   - style: The text of the document's style. No other one is applied.
    ///   - script: The text of its script. No other one runs, also none that a content would bring into the document.
    init(style: [UInt8], script: [UInt8]) {
        content = """
            default-src 'none'; script-src '\(Self.source(script))'; style-src '\(Self.source(style))'; \
            connect-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; \
            frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'
            """
    }

    /// The name of a text in a policy: https://www.w3.org/TR/CSP3/#framework-directive-source-list
    private static func source(_ text: [UInt8]) -> String {
        "sha256-\(Base64.encode(SHA256.hash(text)))"
    }

    /// Adds the fields that every reply of the page has.
    func apply(to fields: inout HTTPFields) {
        fields[.contentSecurityPolicy] = content
        fields[.xContentTypeOptions] = "nosniff"
        fields[.frameOptions] = "DENY"
        fields[.referrerPolicy] = "no-referrer"
        fields[.openerPolicy] = "same-origin"
        fields[.resourcePolicy] = "same-origin"
        fields[.cacheControl] = "no-store"
    }

    /// Whether the page itself has made a request, or a person who typed the address or followed a bookmark, as far
    /// as the browser says so. A browser that sends `Sec-Fetch-Site` is believed, whatever a proxy made of `Host`.
    static func isOwn(_ head: HTTPRequest) -> Bool {
        if let site = head.headerFields[.site] {
            return site == "same-origin" || site == "none" && head.method == .get
        }
        guard let origin = head.headerFields[.origin] else { return true }
        guard let authority = head.authority else { return false }
        return origin == "https://\(authority)" || origin == "http://\(authority)"
    }
}

extension HTTPField.Name {
    static let site = own("Sec-Fetch-Site")
    static let frameOptions = own("X-Frame-Options")
    static let referrerPolicy = own("Referrer-Policy")
    static let openerPolicy = own("Cross-Origin-Opener-Policy")
    static let resourcePolicy = own("Cross-Origin-Resource-Policy")
}
