import FilesinkiModel

/// Arguments as Swift strings without losing a byte.
///
/// The parser wants strings, yet a path is bytes. A byte that is not part of valid UTF-8 travels as
/// one scalar of a private use area, `U+10FE00` plus the byte, and is turned back before anything
/// uses it. Python's `surrogateescape` (PEP 383) is the same idea.
enum ArgumentText {
    private static let escapeBase: UInt32 = 0x10_FE00

    /// The argument as a string; ``bytes(of:)`` gives the same bytes back.
    static func encode(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self),
            !text.unicodeScalars.contains(where: isEscape)
        {
            return text
        }
        return encodeLossy(bytes[...])
    }

    private static func encodeLossy(_ bytes: ArraySlice<UInt8>) -> String {
        var result = String.UnicodeScalarView()
        var rest = bytes
        while let first = rest.first {
            if let scalar = leadingScalar(rest), !isEscape(scalar) {
                result.append(scalar)
                rest = rest.dropFirst(UTF8.width(scalar))
            } else {
                if let scalar = Unicode.Scalar(escapeBase + UInt32(first)) { result.append(scalar) }
                rest = rest.dropFirst()
            }
        }
        return String(result)
    }

    /// The scalar that the bytes begin with; nil when they do not begin with valid UTF-8.
    private static func leadingScalar(_ bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        var decoder = UTF8()
        var iterator = bytes.prefix(4).makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
        return scalar
    }

    private static func isEscape(_ scalar: Unicode.Scalar) -> Bool {
        (escapeBase...escapeBase + 0xFF).contains(scalar.value)
    }

    /// The bytes that the user typed.
    static func bytes(of text: String) -> [UInt8] {
        var result: [UInt8] = []
        for scalar in text.unicodeScalars {
            if isEscape(scalar) {
                result.append(UInt8(scalar.value - escapeBase))
            } else {
                result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        return result
    }

    /// The text with what cannot be shown replaced, for a message.
    static func decode(_ text: String) -> String {
        String(decoding: bytes(of: text), as: UTF8.self)
    }
}

/// Absolute paths, computed without reading the file system.
enum FilePlace {
    /// The absolute path, without `.`, `..`, doubled or trailing slashes. `..` is taken as text:
    /// it removes the name before it, also when that is a symlink.
    ///
    /// - Parameter folder: What a relative path begins at; absolute.
    static func absolute(_ path: [UInt8], in folder: String) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        let whole = path.first == slash ? path : Array(folder.utf8) + [slash] + path
        var names: [ArraySlice<UInt8>] = []
        for name in whole.split(separator: slash) {
            if name.elementsEqual("..".utf8) {
                _ = names.popLast()
            } else if !name.elementsEqual(".".utf8) {
                names.append(name)
            }
        }
        return [slash] + Array(names.joined(separator: [slash]))
    }

    /// The absolute path as text.
    ///
    /// - Throws: `Failure` with code `usage` when it is not UTF-8: a root, a store and a state folder
    ///   are named in settings, which are text.
    static func absoluteText(_ path: String, in folder: String) throws(Failure) -> String {
        let bytes = absolute(ArgumentText.bytes(of: path), in: folder)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(
                .usage, path: bytes, "The path is not UTF-8.",
                remedy: "Give the folder a name in UTF-8, or reach it through a symlink.")
        }
        return text
    }
}
