package import FilesinkiModel

/// How many deletions a run may carry out without being asked: `--max-delete`.
package enum MaxDelete: Hashable, Sendable {
    /// At most this many paths.
    case count(Int)
    /// At most this share of the base's paths, 0 to 1.
    case share(Double)

    /// Reads a number of paths, such as `100`, or a share of all, such as `30%`.
    ///
    /// - Throws: `Failure` with code ``Failure/Code/usage`` for anything else, for a negative
    ///   number and for more than 100%.
    package init(parsing text: String) throws(Failure) {
        if text.hasSuffix("%"), let percent = Double(text.dropLast()), (0...100).contains(percent) {
            self = .share(percent / 100)
        } else if let count = Int(text), count >= 0 {
            self = .count(count)
        } else {
            throw Failure(
                .usage, path: "", "The limit '\(text)' of deletions is not understood.",
                remedy: "Write a number of paths, such as 100, or a share, such as 30%.")
        }
    }
}

extension MaxDelete: CustomStringConvertible {
    /// The limit as ``init(parsing:)`` reads it.
    package var description: String {
        switch self {
        case .count(let count): return "\(count)"
        case .share(let share):
            guard (0...1).contains(share) else { return "\(share * 100)%" }
            // To a thousandth of a percent: 0.29 times 100 is not 29.
            let thousandths = Int(share * 100_000 + 0.5)
            return thousandths % 1000 == 0
                ? "\(thousandths / 1000)%" : "\(Double(thousandths) / 1000)%"
        }
    }
}

extension MaxDelete {
    /// What holds where nothing else is said: half of all paths.
    package static let standard = MaxDelete.share(0.5)
}
