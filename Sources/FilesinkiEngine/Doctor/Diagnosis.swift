package import FilesinkiModel

/// One thing that `doctor` looked at, and how it is.
package struct Diagnosis: Hashable, Sendable {
    package enum Level: String, Sendable {
        case ok, warning, trouble
    }

    /// What was looked at, in a word.
    package var name: String
    package var level: Level
    package var message: String
    /// What to do about it; empty when it is as it should be.
    package var remedy: String

    package init(_ name: String, _ level: Level, _ message: String, remedy: String = "") {
        self.name = name
        self.level = level
        self.message = message
        self.remedy = remedy
    }

    /// What failed when it was looked at.
    package init(_ name: String, _ level: Level, _ failure: Failure) {
        let place = failure.path.isEmpty ? "" : "\(printable(failure.path)): "
        self.init(name, level, place + failure.message, remedy: failure.remedy)
    }

    /// What was thrown when it was looked at.
    init(_ name: String, thrown error: any Error) {
        let failure = error as? Failure
        self = Diagnosis(
            name, .trouble,
            failure ?? Failure(.io, "\(error)", remedy: "Run it again; if it stays so, tell us."))
    }
}
