/// Text as documents write it: in quotes, with escapes.
enum JSONText {
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    /// The byte that a character after a backslash stands for; nil for an invalid escape.
    static func escaped(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    static func hexadecimal(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    static func hash(_ quoted: UnsafeBufferPointer<UInt8>) -> Int {
        let inside = UnsafeBufferPointer(rebasing: quoted.dropFirst().dropLast())
        guard inside.contains(UInt8(ascii: "\\")) else { return JSONHash.bytes(inside) }
        return unescaped(quoted[...]).withUnsafeBufferPointer { JSONHash.bytes($0) }
    }

    /// The bytes of a text that is written in quotes and known to be well formed.
    ///
    /// A surrogate without its partner has no UTF-8. It becomes the three bytes that it would have,
    /// so that two texts are equal only where they escape to the same code units.
    static func unescaped(_ quoted: some RandomAccessCollection<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(quoted.count)
        var rest = quoted.dropFirst().dropLast().makeIterator()
        var lead: UInt32?
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "\\"), let kind = rest.next() else {
                flush(&lead, into: &result)
                result.append(byte)
                continue
            }
            guard kind == UInt8(ascii: "u") else {
                flush(&lead, into: &result)
                result.append(escaped(kind) ?? kind)
                continue
            }
            var unit: UInt32 = 0
            for _ in 0..<4 { unit = unit << 4 | (rest.next().flatMap(hexadecimal) ?? 0) }
            append(unit, after: &lead, to: &result)
        }
        flush(&lead, into: &result)
        return result
    }

    /// A code unit of UTF-16, which may be the second half of a pair.
    private static func append(_ unit: UInt32, after lead: inout UInt32?, to result: inout [UInt8])
    {
        if let first = lead, 0xDC00..<0xE000 ~= unit {
            encode(0x10000 + ((first - 0xD800) << 10) + (unit - 0xDC00), into: &result)
            lead = nil
            return
        }
        flush(&lead, into: &result)
        if 0xD800..<0xDC00 ~= unit { lead = unit } else { encode(unit, into: &result) }
    }

    private static func flush(_ lead: inout UInt32?, into result: inout [UInt8]) {
        guard let unit = lead else { return }
        encode(unit, into: &result)
        lead = nil
    }

    private static func encode(_ scalar: UInt32, into result: inout [UInt8]) {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(0x80 | (scalar >> shift) & 0x3F) }
        switch scalar {
        case ..<0x80: result.append(UInt8(scalar))
        case ..<0x800: result += [UInt8(0xC0 | scalar >> 6), tail(0)]
        case ..<0x10000: result += [UInt8(0xE0 | scalar >> 12), tail(6), tail(0)]
        default: result += [UInt8(0xF0 | scalar >> 18 & 7), tail(12), tail(6), tail(0)]
        }
    }
}

/// Hashes of values.
///
/// They are seeded anew in every process, so that no document can be made to collide; nothing that
/// is written depends on them. Multiplying and folding is as in Wang Yi's wyhash, and costs a third
/// of the standard library's hasher on the short texts that documents are made of.
enum JSONHash {
    private static let seed = Hasher().finalize()

    static func bytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        var result = raw.count
        var position = 0
        while position + 8 <= raw.count {
            result = mix(result, raw.loadUnaligned(fromByteOffset: position, as: Int.self))
            position += 8
        }
        var rest = raw.count
        while position < raw.count {
            rest = rest << 8 | Int(raw[position])
            position += 1
        }
        return mix(result, rest)
    }

    static func literal(_ first: UInt8) -> Int { mix(1, Int(first)) }

    static func empty(_ kind: JSONNode.Kind) -> Int { mix(2, Int(kind.rawValue)) }

    static func mix(_ left: Int, _ right: Int) -> Int {
        let one = UInt(bitPattern: left ^ seed)
        let two = UInt(bitPattern: right) ^ 0x9E37_79B9_7F4A_7C15
        let product = one.multipliedFullWidth(by: two)
        return Int(bitPattern: product.high ^ product.low) ^ (left << 1)
    }
}
