import FilesinkiModel
import FilesinkiText

/// The value of `Content-Digest`, of which only SHA-256 is used:
/// https://www.rfc-editor.org/rfc/rfc9530#section-2
package enum ContentDigest {
    /// `sha-256=:BASE64:`
    ///
    /// - Parameter sha256: 32 bytes.
    package static func encode(_ sha256: [UInt8]) -> String {
        "sha-256=:\(Base64.encode(sha256)):"
    }

    /// The 32 bytes; nil when the value names no SHA-256. Other algorithms beside it are passed over.
    package static func decode(_ value: String) -> [UInt8]? {
        for member in value.split(separator: ",") {
            let text = member.drop { $0 == " " }
            guard text.hasPrefix("sha-256=:"), text.hasSuffix(":"), text.utf8.count > 10 else {
                continue
            }
            let coded = text.dropFirst("sha-256=:".count).dropLast()
            guard let bytes = Base64.decode(coded), bytes.count == 32 else { return nil }
            return bytes
        }
        return nil
    }
}
