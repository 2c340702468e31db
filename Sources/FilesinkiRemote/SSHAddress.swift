package import FilesinkiModel
import FilesinkiText

/// The address of a folder that is reached over ssh: `ssh://[user@]host[:port]/path`, or
/// `[user@]host:path` as for scp.
///
/// The path of the second form, and one that begins with `/~/` in the first, is relative to the user's
/// home folder at the host, which is `~` itself.
package struct SSHAddress: Hashable, Sendable {
    /// The address as the user wrote it.
    package let text: String
    /// The user at the host; nil for what ssh's settings say.
    package let user: String?
    /// A host name, an address, or a name in ssh's settings. An IPv6 address has no brackets.
    package let host: String
    /// From 1 to 65535; nil for what ssh's settings say.
    package let port: Int?
    /// The folder at the host; relative to the home folder without a slash at its beginning.
    package let path: [UInt8]
    /// The part of the text before the path.
    private let beforePath: Substring

    /// Parses `ssh://[user@]host[:port]/path`, with `%20` for a space.
    ///
    /// - Throws: `Failure` with code `usage` for an invalid address, and for one with a password.
    package init(url text: String) throws(Failure) {
        guard let end = text.firstRange(of: "://")?.upperBound else {
            throw Self.invalid(text)
        }
        let slash = text[end...].firstIndex(of: "/") ?? text.endIndex
        let (user, place) = try Self.splitUser(text[end..<slash], text)
        guard let split = Self.splitHost(place), let path = PercentCoding.decode(text[slash...])
        else { throw Self.invalid(text) }
        let isHome = path.elementsEqual("/~".utf8) || path.elementsEqual("/~/".utf8)
        let isInHome = path.starts(with: "/~/".utf8)
        try self.init(
            text, user: user, host: split.host, port: split.port,
            path: isHome ? Self.home : isInHome ? Array(path.dropFirst(3)) : path,
            beforePath: text[..<slash])
    }

    /// Parses `[user@]host:path`: a text with a colon before its first slash. Nil for any other text.
    ///
    /// - Throws: As ``init(url:)``.
    package init?(shortForm text: String) throws(Failure) {
        guard let colon = Self.colonAfterHost(text) else { return nil }
        let path = text[text.index(after: colon)...]
        // Of user:password@host/path, the host would be the user.
        if path.prefix(while: { $0 != "/" }).contains("@") { throw .passwordInAddress }
        let (user, place) = try Self.splitUser(text[..<colon], text)
        guard !path.isEmpty else { throw Self.withoutFolder(text) }
        let isHome = path == "~" || path == "~/"
        let isInHome = path.hasPrefix("~/")
        try self.init(
            text, user: user, host: Self.withoutBrackets(place), port: nil,
            path: isHome ? Self.home : Array(path.dropFirst(isInHome ? 2 : 0).utf8),
            beforePath: text[...colon])
    }

    private init(
        _ text: String, user: Substring?, host: Substring, port: Int?, path: [UInt8],
        beforePath: Substring
    ) throws(Failure) {
        self.text = text
        self.user = user.map(String.init)
        self.host = String(host)
        self.port = port
        self.path = path
        self.beforePath = beforePath
        let isSafe = Self.isSafe(host) && (user.map(Self.isSafe) ?? true)
        guard isSafe, !path.isEmpty, !path.contains(0) else { throw Self.invalid(text) }
    }

    /// The path of the home folder.
    private static let home = Array(".".utf8)

    /// Whether the folder is the user's home folder at the host, as far as the path says.
    package var isHomeFolder: Bool {
        path.first != UInt8(ascii: "/")
            && path.split(separator: UInt8(ascii: "/")).allSatisfy { $0.elementsEqual(".".utf8) }
    }

    /// What the path in an address means, for a folder that was not found at the host; empty where that is plain.
    static func meaning(of text: String) -> String {
        let isURL = text.hasPrefix("ssh://")
        guard let address = try? isURL ? SSHAddress(url: text) : SSHAddress(shortForm: text) else {
            return ""
        }
        let path = printable(address.path)
        return address.path.first == UInt8(ascii: "/")
            ? ": \(path) was looked for; what is below the home folder there is HOST:PATH"
            : ": \(path) was looked for in the home folder there"
    }

    /// The same place with another path, which is written as in ``text``.
    ///
    /// - Parameter change: Returns the new path for the one that the user wrote.
    package func withPath(_ change: (Substring) -> String) throws(Failure) -> SSHAddress {
        let path = change(text[beforePath.endIndex...])
        let text = beforePath + path
        if beforePath.contains("://") { return try SSHAddress(url: String(text)) }
        guard let address = try SSHAddress(shortForm: String(text)) else {
            throw Self.invalid(String(text))
        }
        return address
    }

    /// The colon between host and path of the short form; nil for any other text. The colons of an IPv6
    /// address are in brackets.
    private static func colonAfterHost(_ text: String) -> String.Index? {
        let names = text.prefix { $0 != "/" }
        let hasScheme = names.hasSuffix(":") && text[names.endIndex...].hasPrefix("//")
        guard let first = names.firstIndex(of: ":"), first != names.startIndex, !hasScheme,
            !names.hasPrefix("."), !names.hasPrefix("~")
        else { return nil }
        // A user's name may have a colon when it is followed by a password, which is refused.
        guard let at = names.firstIndex(of: "@") else { return afterBrackets(names) ?? first }
        return afterBrackets(names[names.index(after: at)...]) ?? first
    }

    private static func afterBrackets(_ host: Substring) -> String.Index? {
        guard host.hasPrefix("["), let bracket = host.firstIndex(of: "]") else {
            return host.firstIndex(of: ":")
        }
        return host[bracket...].firstIndex(of: ":")
    }

    /// Only a user name may be before `@`, because addresses are shown, stored and logged.
    private static func splitUser(
        _ text: Substring, _ whole: String
    ) throws(Failure) -> (user: Substring?, rest: Substring) {
        guard let at = text.lastIndex(of: "@") else { return (nil, text) }
        let user = text[..<at]
        if user.contains(":") { throw .passwordInAddress }
        guard !user.isEmpty else { throw invalid(whole) }
        return (user, text[text.index(after: at)...])
    }

    private static func splitHost(_ text: Substring) -> (host: Substring, port: Int?)? {
        let end = text.firstIndex(of: "]") ?? text.startIndex
        guard let colon = text[end...].firstIndex(of: ":") else {
            return (withoutBrackets(text), nil)
        }
        let digits = text[text.index(after: colon)...]
        guard digits.allSatisfy(\.isASCII), digits.allSatisfy(\.isNumber), let port = Int(digits),
            (1...65535).contains(port)
        else { return nil }
        return (withoutBrackets(text[..<colon]), port)
    }

    private static func withoutBrackets(_ host: Substring) -> Substring {
        host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host
    }

    /// Whether ssh takes the name for neither an option nor text for a shell: its settings may give both
    /// names to a shell.
    private static func isSafe(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, first != UInt8(ascii: "-") else { return false }
        return name.utf8.allSatisfy { byte in
            byte > UInt8(ascii: " ") && byte != 0x7F
                && !"'\"`$\\;&<>|(){}[]*?!#/".utf8.contains(byte)
        }
    }

    private static func withoutFolder(_ text: String) -> Failure {
        Failure(
            .usage, path: text, "The address names no folder of the host.",
            remedy: "For a folder in the home folder there write HOST:NAME.")
    }

    private static func invalid(_ text: String) -> Failure {
        Failure(
            .usage, path: text, "Invalid ssh address.",
            remedy: "Write ssh://user@host:port/path or user@host:path; for a folder of this "
                + "machine, ./name.")
    }
}
