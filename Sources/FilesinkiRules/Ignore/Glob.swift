/// One step of a compiled glob.
enum GlobStep: Sendable, Equatable {
    /// This byte.
    case byte(UInt8)
    /// Any byte but a slash: `?`.
    case any
    /// A byte of a class; the index into the classes of the table.
    case member(of: Int32)
    /// Any bytes without a slash, or none: `*`.
    case star
    /// Any bytes, slashes too, or none: `**` at the end.
    case everything
    /// Nothing, or any bytes up to and with a slash: `**/`.
    case folders
}

/// The compiled globs of one file, in two arrays, so that matching touches no other memory.
struct GlobTable: Sendable {
    private(set) var steps: [GlobStep] = []
    private(set) var classes: [ByteSet] = []

    /// Compiles a glob as git's `wildmatch` with `WM_PATHNAME` reads it, and adds it.
    ///
    /// - Returns: Where its steps are; nil when the glob is malformed and so matches nothing.
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

    /// Two or more stars mean folders only between slashes or ends; elsewhere they are one star.
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
