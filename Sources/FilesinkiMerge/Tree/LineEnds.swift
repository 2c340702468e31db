/// How the lines of a text end.
enum LineEnds: Hashable {
    case none, newline, both
    /// Some lines as ``newline``, others as ``both``.
    case mixed(isMostlyBoth: Bool)
    /// There are carriage returns that end no line.
    case other

    init(_ text: [UInt8]) {
        guard text.contains(13) else {
            self = text.contains(10) ? .newline : .none
            return
        }
        var (newlines, returns, pairs) = (0, 0, 0)
        var previous: UInt8 = 0
        for byte in text {
            if byte == 10 {
                newlines += 1
                if previous == 13 { pairs += 1 }
            }
            if byte == 13 { returns += 1 }
            previous = byte
        }
        if returns != pairs {
            self = .other
        } else {
            self = pairs == newlines ? .both : .mixed(isMostlyBoth: pairs > newlines - pairs)
        }
    }

    private var isMixed: Bool { if case .mixed = self { true } else { false } }

    /// How most of the lines end.
    private var usual: LineEnds {
        if case .mixed(let isMostlyBoth) = self { isMostlyBoth ? .both : .newline } else { self }
    }

    /// What both sides made of them; a plain newline where both made something else.
    ///
    /// - Returns: nil where every line keeps its own end.
    static func merged(base: LineEnds, ours: LineEnds, theirs: LineEnds) -> LineEnds? {
        guard ![base, ours, theirs].contains(.other), !ours.isMixed || !theirs.isMixed else {
            return nil
        }
        let base = base.usual
        if ours.isMixed || theirs.isMixed {
            // Unless the other side changed the line ends, the lines of this one are as it wrote them.
            let other = ours.isMixed ? theirs : ours
            return base == .none || other == .none || other == base ? nil : other
        }
        if ours == .none || theirs == .none { return ours == .none ? theirs : ours }
        if ours == theirs || theirs == base { return ours }
        return ours == base ? theirs : .newline
    }
}
