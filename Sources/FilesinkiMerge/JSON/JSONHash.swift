/// Numbers that are equal for equal values.
///
/// They are seeded anew in every process, so that no document can be made to collide; nothing that
/// is written depends on them.
enum JSONHash {
    static func bytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        return hasher.finalize()
    }

    static func literal(_ first: UInt8) -> Int { mix(1, Int(first)) }

    static func empty(_ kind: JSONNode.Kind) -> Int { mix(2, Int(kind.rawValue)) }

    static func mix(_ left: Int, _ right: Int) -> Int {
        var hasher = Hasher()
        hasher.combine(left)
        hasher.combine(right)
        return hasher.finalize()
    }
}
