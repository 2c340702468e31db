import ArgumentParser
import FilesinkiModel
import FilesinkiText

/// Words the commands that messages name so that they work where the user is: `filesinki sync` becomes `filesinki sync --root
/// /mnt/notes` where filesinki alone would find another replica, or none. Where that is the default replica, a text that tells
/// to set its remote tells first what else the user may mean.
///
/// The texts of all modules name commands plainly, with paths from the root. This type knows commands by the parser's own list, so
/// that no text has to know where the user is, or which commands take `--root`. In a folder of the replica, where arguments are
/// relative to that, a command with a path from the root gets `--root`, with which it is; one whose path is relative has it
/// from ``word(_:)``, and keeps it.
struct CommandHints: Sendable {
    /// The options that name the replica, each after a space; empty where the command finds it by itself.
    private let place: String
    /// The same for a command with paths from the root; empty where arguments are such paths.
    private let placeOfPaths: String
    /// What the paths behind the commands are relative to.
    private let arguments: ArgumentPaths
    /// What to say outside of all replicas, where the user may mean another one than the default replica; nil elsewhere.
    let outside: OutsideOfReplicas?

    /// Leaves every text as it is.
    static let none = CommandHints(place: "")

    private init(
        place: String, placeOfPaths: String = "", arguments: ArgumentPaths = .ofRoot,
        outside: OutsideOfReplicas? = nil
    ) {
        self.place = place
        self.placeOfPaths = placeOfPaths
        self.arguments = arguments
        self.outside = outside
    }

    /// The hints for a replica that a command works on.
    ///
    /// - Parameters:
    ///   - root: The replica's absolute path.
    ///   - state: Its state folder, absolute, where the user named one.
    init(root: String, state: String?, in console: Console) {
        let found = try? RootChoice.withoutOptions(in: console)
        let known = found?.path == root ? found : nil
        let arguments =
            known.map { ArgumentPaths($0, currentFolder: console.currentFolder) } ?? .ofRoot
        self.init(
            place: (known == nil ? Self.option("--root", root) : "")
                + (state.map { Self.option("--state", $0) } ?? ""),
            placeOfPaths: arguments == .ofRoot ? "" : Self.option("--root", root),
            arguments: arguments,
            outside: known?.origin == .standard ? OutsideOfReplicas(root, in: console) : nil)
    }

    /// The hints for a text that is read elsewhere, as a mail is: they always name the replica.
    init(alwaysNaming root: String) { self.init(place: Self.option("--root", root)) }

    private static func option(_ name: String, _ path: String) -> String {
        " \(name) " + ShellWord.shown(path.utf8)
    }

    /// A path as the commands of messages take it, for a shell. In a folder of the replica it begins with `./` or `../`.
    func word(_ path: RelativePath) -> String {
        let bytes = arguments.bytes(path)
        let isUp =
            bytes.starts(with: "../".utf8) || [".", ".."].contains { bytes.elementsEqual($0.utf8) }
        guard !placeOfPaths.isEmpty, !isUp else { return ShellWord.path(bytes) }
        return ShellWord.shown(Array("./".utf8) + bytes)
    }

    /// The text with the replica in each command that works on one. What is to be done on another device is not given to this:
    /// the folder has another name there.
    func text(_ text: String) -> String {
        let text =
            outside.map { outside in
                text.replacing(
                    Failure.setRemote, with: outside.withoutRemote.joined(separator: " "))
            } ?? text
        guard !(place.isEmpty && placeOfPaths.isEmpty), text.contains(Self.program) else {
            return text
        }
        var result = ""
        var rest = text[...]
        while let found = rest.firstRange(of: Self.program) {
            result += rest[..<found.upperBound]
            let isWord = found.lowerBound == rest.startIndex || rest[..<found.lowerBound].endsWord
            rest = rest[found.upperBound...]
            guard isWord, let end = Self.end(ofCommandIn: rest) else { continue }
            result += rest[..<end]
            rest = rest[end...]
            result += rest.namesPathFromRoot ? placeOfPaths + place : place
        }
        return result + rest
    }

    /// The failure with the replica in the commands of its sentences. Outside of all replicas, one that sends the user to the lists
    /// of the default replica, or to set its remote, says that instead.
    func failure(_ failure: Failure) -> Failure {
        var worded = failure
        if let outside, failure.code == .notFound {
            if failure.remedy == Failure.setRemote {
                return Failure(.notFound, outside.withoutRemote.joined(separator: " "), remedy: "")
            }
            if ["filesinki ls", "filesinki conflicts"].contains(where: failure.remedy.contains),
                !outside.others.isEmpty
            {
                worded.remedy = outside.sentences.joined(separator: " ")
                return worded
            }
        }
        worded.message = text(failure.message)
        worded.remedy = remedy(failure.remedy, failure.isForOtherDevice)
        return worded
    }

    /// - Parameter isForOtherDevice: See `Failure`.
    func remedy(_ remedy: String, _ isForOtherDevice: Bool) -> String {
        isForOtherDevice ? remedy : text(remedy)
    }

    private static let program = "filesinki "

    /// Where the names of the command end that a text begins with; nil if it begins with none that takes `--root`, or that has
    /// it already.
    private static func end(ofCommandIn text: Substring) -> String.Index? {
        var command: any ParsableCommand.Type = FilesinkiCommand.self
        var end = text.startIndex
        var next = text
        while true {
            let word = next.prefix { $0.isLetter || $0 == "-" }
            let below = command.configuration.subcommands
            guard let found = below.first(where: { $0.isNamed(String(word)) }) else { break }
            command = found
            end = word.endIndex
            guard text[end...].first == " " else { break }
            next = text[end...].dropFirst()
        }
        let meant = command.configuration.defaultSubcommand ?? command
        guard meant is any ReplicaCommand.Type, !text[end...].hasPrefix(" --root") else {
            return nil
        }
        // Whoever is to make a replica, or to make it again, is told where in words.
        let isInit = meant == InitCommand.self
        return isInit && !text[end...].hasPrefix(" --") ? nil : end
    }
}

extension Substring {
    /// Whether the arguments with which a text begins have a path from the root.
    fileprivate var namesPathFromRoot: Bool {
        guard first == " " else { return false }
        var hasPath = false
        for word in dropFirst().split(separator: " ") {
            let path = word.drop { $0 == "$" || $0 == "'" }
            if path == "." || path.hasPrefix("./") || path.hasPrefix("..") { return false }
            // What the user is to fill in is relative to the current folder, as all that is typed there.
            if !hasPath, path.isPlaceholder { return false }
            let end = word.last.map(".,;:".contains) == true
            if !word.hasPrefix("-"), !Self.prose.contains(end ? word.dropLast() : word) {
                hasPath = true
            }
            if end || hasPath && Self.prose.contains(word) { break }
        }
        return hasPath
    }

    /// Whether a word is `PATH`, as in `PATH…` and `PATH@VERSION`.
    private var isPlaceholder: Bool {
        hasPrefix("PATH") && (dropFirst(4).first.map { "….,;:@".contains($0) } ?? true)
    }

    /// What follows a command in a sentence where it has no path.
    private static let prose: Set<Substring> = [
        "again", "and", "first", "later", "lists", "or", "prints", "says", "shows", "then", "to",
    ]

    /// Whether a word ends here, so that another one may begin.
    fileprivate var endsWord: Bool { last.map { $0 == " " || $0 == "(" || $0 == "\"" } ?? true }
}
