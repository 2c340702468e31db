import FilesinkiHTTP
import FilesinkiHashing
import FilesinkiModel
import FilesinkiText

/// A server's question for proof of a password: https://www.rfc-editor.org/rfc/rfc7616#section-3.3
struct DigestChallenge: Hashable {
    enum Algorithm: String {
        case md5 = "MD5"
        case sha256 = "SHA-256"
    }

    var realm: String
    var nonce: String
    var opaque: String?
    var algorithm: Algorithm
    /// Whether only the nonce was too old, and the answer to it right.
    var isStale: Bool

    init(
        realm: String, nonce: String, opaque: String? = nil, algorithm: Algorithm,
        isStale: Bool = false
    ) {
        self.realm = realm
        self.nonce = nonce
        self.opaque = opaque
        self.algorithm = algorithm
        self.isStale = isStale
    }

    /// Nil for another scheme, an unknown algorithm, and a quality of protection other than `auth`.
    init?(_ challenge: AuthenticationChallenge) {
        let parameters = challenge.parameters
        let qualities = (parameters["qop"] ?? "").lowercased().split { $0 == "," || $0 == " " }
        guard challenge.scheme == "digest", qualities.contains("auth"),
            let realm = parameters["realm"], let nonce = parameters["nonce"],
            let algorithm = Algorithm(rawValue: (parameters["algorithm"] ?? "MD5").uppercased())
        else { return nil }
        self.init(
            realm: realm, nonce: nonce, opaque: parameters["opaque"], algorithm: algorithm,
            isStale: parameters["stale"]?.lowercased() == "true")
    }
}

/// The answer to a ``DigestChallenge``: https://www.rfc-editor.org/rfc/rfc7616#section-3.4
struct DigestAnswer {
    let challenge: DigestChallenge
    let user: String
    let password: Secret
    /// How many requests have used the nonce, with this one.
    let count: UInt32
    /// The client's own part of chance.
    let cnonce: String

    init(
        _ challenge: DigestChallenge, user: String, password: Secret, count: UInt32, cnonce: String
    ) {
        self.challenge = challenge
        self.user = user
        self.password = password
        self.count = count
        self.cnonce = cnonce
    }

    /// The field `Authorization` of a request.
    func field(method: String, path: String) -> String {
        var parts = [
            userPart, "realm=\(quoted(challenge.realm))", "uri=\(quoted(path))",
            "algorithm=\(challenge.algorithm.rawValue)", "nonce=\(quoted(challenge.nonce))",
            "nc=\(countText)", "cnonce=\(quoted(cnonce))", "qop=auth",
            "response=\(quoted(response(method: method, path: path)))",
        ]
        if let opaque = challenge.opaque { parts.append("opaque=\(quoted(opaque))") }
        return "Digest " + parts.joined(separator: ", ")
    }

    /// The proof itself.
    func response(method: String, path: String) -> String {
        let secret = hash("\(user):\(challenge.realm):\(password.value)")
        let request = hash("\(method):\(path)")
        return hash("\(secret):\(challenge.nonce):\(countText):\(cnonce):auth:\(request)")
    }

    private var countText: String {
        let digits = String(count, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// A name that is not ASCII has a form of its own.
    private var userPart: String {
        user.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
            ? "username=\(quoted(user))" : "username*=UTF-8''\(PercentCoding.encode(user.utf8))"
    }

    private func quoted(_ text: String) -> String {
        var result = "\""
        for character in text.unicodeScalars {
            if character == "\"" || character == "\\" { result += "\\" }
            result.unicodeScalars.append(character)
        }
        return result + "\""
    }

    private func hash(_ text: String) -> String {
        switch challenge.algorithm {
        case .md5: hexadecimal(MD5.hash(Array(text.utf8)))
        case .sha256: hexadecimal(SHA256.hash(Array(text.utf8)))
        }
    }
}
