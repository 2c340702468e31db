extension GlobTable {
    /// Whether the steps match the whole text.
    ///
    /// Only the last `*` and the last `**` are ever taken back: what an earlier one could still
    /// give, a later one of its kind can take as well. So the time is bounded by a polynomial of
    /// the lengths, and a glob made to be slow is not, unlike with plain recursion.
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

    /// Whether a step that stands for one byte allows this one.
    @inline(__always)
    private func accepts(_ step: GlobStep, _ byte: UInt8) -> Bool {
        switch step {
        case .byte(let wanted): byte == wanted
        case .any: byte != UInt8(ascii: "/")
        case .member(let set): classes[Int(set)].contains(byte)
        case .star, .everything, .folders: false
        }
    }

    /// Where matching goes on after a wildcard has taken more: the step after it and the index.
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
