/// One step of a compiled glob.
enum GlobStep: Sendable, Equatable {
    /// This byte.
    case byte(UInt8)
    /// Any byte but a slash: `?`.
    case any
    /// A byte of a class; the index into the classes of the table.
    case member(of: Int32)
    /// Any number of bytes except slashes: `*`.
    case star
    /// Any number of bytes including slashes: `**` at the end.
    case everything
    /// Nothing, or any bytes up to and including a slash: `**/`.
    case folders
}

/// The compiled globs of one file in two arrays, for locality.
struct GlobTable: Sendable {
    private(set) var steps: [GlobStep] = []
    private(set) var classes: [ByteSet] = []

    /// Compiles a glob with the semantics of git's `wildmatch` with `WM_PATHNAME`, and adds it.
    ///
    /// - Returns: The range of its steps; nil when the glob is malformed and matches nothing.
    mutating func add(_ glob: ArraySlice<UInt8>) -> Range<Int>? {
        let start = steps.count
        var index = glob.startIndex
        while index < glob.endIndex {
            guard let next = addStep(of: glob, at: index) else {
                steps.removeSubrange(start...)
                return nil
            }
            index = next
        }
        return start..<steps.count
    }

    /// Adds the step at an index, and returns the index after it; nil when it is malformed.
    private mutating func addStep(of glob: ArraySlice<UInt8>, at index: Int) -> Int? {
        switch glob[index] {
        case UInt8(ascii: "\\"):
            guard index + 1 < glob.endIndex else { return nil }
            steps.append(.byte(glob[index + 1]))
            return index + 2
        case UInt8(ascii: "?"):
            steps.append(.any)
            return index + 1
        case UInt8(ascii: "*"):
            return addStars(of: glob, at: index)
        case UInt8(ascii: "["):
            guard let found = GlobClass(glob, from: index) else { return nil }
            steps.append(.member(of: Int32(clamping: classes.count)))
            classes.append(found.members)
            return found.end
        default:
            steps.append(.byte(glob[index]))
            return index + 1
        }
    }

    /// Two or more stars match folders only between slashes or ends; elsewhere they act as one
    /// star.
    private mutating func addStars(of glob: ArraySlice<UInt8>, at index: Int) -> Int {
        let slash = UInt8(ascii: "/")
        let end = glob[index...].firstIndex { $0 != UInt8(ascii: "*") } ?? glob.endIndex
        let opens = index == glob.startIndex || glob[index - 1] == slash
        guard end - index >= 2, opens else {
            steps.append(.star)
            return end
        }
        if end == glob.endIndex {
            steps.append(.everything)
            return end
        }
        if glob[end] == slash {
            steps.append(.folders)
            return end + 1
        }
        let escapesSlash =
            glob[end] == UInt8(ascii: "\\") && end + 1 < glob.endIndex && glob[end + 1] == slash
        steps.append(escapesSlash ? .everything : .star)
        return end
    }
}

extension GlobTable {
    /// Whether the steps match the whole text.
    ///
    /// Backtracks only to the last `*` and the last `**`, because an earlier one cannot match more
    /// than a later one of its kind. So the time is polynomial in the lengths, unlike that of plain
    /// recursion.
    func matches(_ range: Range<Int>, _ text: Span<UInt8>) -> Bool {
        let steps = steps.span
        var step = range.lowerBound
        var index = 0
        var star: Retry?
        var wide: Retry?
        while true {
            if step == range.upperBound {
                if index == text.count { return true }
            } else {
                switch steps[step] {
                case .star:
                    step += 1
                    star = Retry(step: step, index: index)
                    continue
                case .everything, .folders:
                    if step + 1 == range.upperBound, steps[step] == .everything { return true }
                    step += 1
                    wide = Retry(step: step, index: index)
                    star = nil
                    continue
                default:
                    if index < text.count, accepts(steps[step], text[index]) {
                        step += 1
                        index += 1
                        continue
                    }
                }
            }
            guard let retry = takeBack(&star, &wide, text) else { return false }
            step = retry.step
            index = retry.index
        }
    }

    /// Whether a single-byte step matches a byte.
    @inline(__always)
    private func accepts(_ step: GlobStep, _ byte: UInt8) -> Bool {
        switch step {
        case .byte(let wanted): byte == wanted
        case .any: byte != UInt8(ascii: "/")
        case .member(let set): classes[Int(set)].contains(byte)
        case .star, .everything, .folders: false
        }
    }

    /// The position to continue at after a wildcard matches more: the next step and the index.
    private struct Retry {
        let step: Int
        var index: Int
    }

    private func takeBack(_ star: inout Retry?, _ wide: inout Retry?, _ text: Span<UInt8>)
        -> Retry?
    {
        let slash = UInt8(ascii: "/")
        if let last = star, last.index < text.count, text[last.index] != slash {
            star = Retry(step: last.step, index: last.index + 1)
            return star
        }
        star = nil
        guard let last = wide else { return nil }
        var index = last.index
        if steps[last.step - 1] == .folders {
            while index < text.count, text[index] != slash { index += 1 }
        }
        wide = index < text.count ? Retry(step: last.step, index: index + 1) : nil
        return wide
    }
}

/// A bracket expression in a glob, such as `[a-z]`, `[!0-9]` or `[[:alpha:]_]`.
struct GlobClass {
    /// The matching bytes; never a slash.
    let members: ByteSet
    /// The index after the closing bracket.
    let end: Int

    /// Parses the class with the opening bracket at `start`; nil when it is not closed or names an
    /// unknown class. As with git, such a pattern matches nothing.
    ///
    /// Follows `dowild` in git's `wildmatch.c` including its quirks: `]` directly after the opening
    /// is a member, `-` at either end too, and `[:` without `:]` is two members.
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

        /// The byte at an index; 0, which no glob contains, past the end.
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

        /// Adds the member at the index and moves the index to its last byte; nil when the glob is
        /// malformed.
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
