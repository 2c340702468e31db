import HTTPTypes

/// What a page may do: load its own files and call its own server, and nothing else.
enum PagePolicy {
    /// Adds the fields that every reply of a page has.
    static func apply(to fields: inout HTTPFields) {
        fields[.contentSecurityPolicy] = """
            default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
            img-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
            require-trusted-types-for 'script'; trusted-types 'none'
            """
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
