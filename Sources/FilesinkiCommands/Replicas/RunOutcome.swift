import FilesinkiModel

/// How a run ended that did not complete, for a person: what happened, and what to do about it.
///
/// The word is that of the manifest, which JSON prints as `last_failure`.
struct RunOutcome {
    /// Why a run was given up, as the manifest has it.
    enum Cancellation: String {
        case interrupted
        /// The time limit of the command line.
        case outOfTime = "time limit"
    }

    /// What happened, in a few words without a full stop.
    let words: String
    /// One word for a prompt; nil for what the next run mends by itself.
    let short: String?
    /// What to do.
    private let remedy: String

    init(_ word: String) {
        (words, remedy) = Self.texts[word] ?? (word, "To see why, run filesinki sync.")
        short =
            switch word {
            case "away", "busy", "not published", "time limit", "changing": nil
            case "interrupted": word
            case "not-allowed": "refused"
            case "limit": "stopped"
            default: "failed"
            }
    }

    /// Sentences for `status`.
    ///
    /// - Parameter refusal: Why access was denied, as the run said it; nil if that is not known.
    func sentences(_ refusal: Failure? = nil, _ hints: CommandHints = .none) -> String {
        "The last run did not complete: "
            + (refusal.map { hints.failure($0).description } ?? hints.text(text))
    }

    /// What happened, and what to do, without a capital.
    var text: String { "\(words). \(remedy)" }

    private static let again = "Run filesinki sync."

    private static let texts: [String: (String, String)] = [
        "away": (
            "store unavailable", "Run filesinki sync when it is back; filesinki doctor shows why."
        ),
        "busy": ("other devices or runs were busy", again),
        "not published": ("other devices published first", again),
        "interrupted": ("interrupted", again),
        "time limit": (
            "time limit", "Run filesinki sync, with a longer --timeout if it was too short."
        ),
        "partial": (
            "some paths failed", "Run filesinki sync: it names them and says what to do."
        ),
        "changing": ("some files kept changing", "Run filesinki sync when no program writes them."),
        "limit": (
            "a limit stopped it", "See the changes with filesinki sync -n; it says how to go on."
        ),
        "full": (
            "no space left, here or at the store",
            "Run filesinki sync: it says where, and what to do."
        ),
        "io": ("a file could not be read or written", "To see which, run filesinki sync."),
        "not-allowed": (
            "access to the store denied", "Run filesinki sync: it says why, and what to do."
        ),
        "wrong-store": (
            "this is not the store of this replica, or an old copy of it",
            "Nothing was changed. Run filesinki sync: it says what differs and how to go on."
        ),
        "unfit-store": ("the store lacks a guarantee", "Run filesinki remote check."),
        "newer-format": ("the store is of a newer version", "Update filesinki."),
        "corrupt": ("damaged data in the store", "Run filesinki check."),
        "token-expired": ("the log no longer reaches back far enough", again),
    ]
}
