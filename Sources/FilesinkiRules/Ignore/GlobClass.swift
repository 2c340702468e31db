/// The class that a bracket in a glob stands for, such as `[a-z]`, `[!0-9]` or `[[:alpha:]_]`.
struct GlobClass {
    /// The bytes that it matches; never a slash.
    let members: ByteSet
    /// The index right after the closing bracket.
    let end: Int

    /// Reads the class whose opening bracket is at `start`; nil when it never closes or holds a
    /// class name that does not exist: git lets such a pattern match nothing.
    ///
    /// The steps are those of `dowild` in git's `wildmatch.c`, oddities included: `]` right after
    /// the opening is a member, `-` at either end too, and `[:` without `:]` is two plain members.
    init?(_ glob: ArraySlice<UInt8>, from start: Int) {
        var reader = Reader(glob: glob, index: start + 1)
        guard let members = reader.members() else { return nil }
        self.members = members
        end = reader.index + 1
    }

    private struct Reader {
        let glob: ArraySlice<UInt8>
        var index: Int
        var set = ByteSet()

        /// The byte at an index; 0, which no glob holds, past the end.
        func byte(at index: Int) -> UInt8 { index < glob.endIndex ? glob[index] : 0 }

        mutating func members() -> ByteSet? {
            let first = byte(at: index)
            let isNegated = first == UInt8(ascii: "!") || first == UInt8(ascii: "^")
            if isNegated { index += 1 }
            // The last single member, from which a range may start; 0 when none can.
            var previous: UInt8 = 0
            repeat {
                guard let member = member(after: previous) else { return nil }
                previous = member
                index += 1
            } while byte(at: index) != UInt8(ascii: "]")
            var result = isNegated ? set.inverted : set
            result.remove(UInt8(ascii: "/"))
            return result
        }

        /// Adds what stands at the index and leaves the index on its last byte; nil when the glob
        /// is malformed.
        private mutating func member(after previous: UInt8) -> UInt8? {
            let byte = byte(at: index)
            let next = self.byte(at: index + 1)
            switch byte {
            case 0:
                return nil
            case UInt8(ascii: "\\"):
                guard next != 0 else { return nil }
                index += 1
                set.insert(next)
                return next
            case UInt8(ascii: "-") where previous != 0 && next != 0 && next != UInt8(ascii: "]"):
                return range(from: previous)
            case UInt8(ascii: "[") where next == UInt8(ascii: ":"):
                return named()
            default:
                set.insert(byte)
                return byte
            }
        }

        private mutating func range(from low: UInt8) -> UInt8? {
            index += 1
            if byte(at: index) == UInt8(ascii: "\\") { index += 1 }
            let high = byte(at: index)
            guard high != 0 else { return nil }
            if low <= high { set.insert(low...high) }
            return 0
        }

        private mutating func named() -> UInt8? {
            let start = index + 2
            let rest = glob[min(start, glob.endIndex)...]
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            guard end > start, glob[end - 1] == UInt8(ascii: ":") else {
                set.insert(UInt8(ascii: "["))
                return UInt8(ascii: "[")
            }
            guard set.insert(classNamed: glob[start..<(end - 1)]) else { return nil }
            index = end
            return 0
        }
    }
}
