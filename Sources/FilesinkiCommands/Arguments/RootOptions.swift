import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRules
import FilesinkiSystem
import FilesinkiText
import Glibc

/// Which replica a command works on.
struct RootOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The replica's folder.",
            discussion: """
                Without it: the nearest folder above the current one that holds .filesinki, else \
                $FILESINKI_ROOT, else the default replica, made on first use.
                """,
            valueName: "dir"),
        completion: .directory)
    var root: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Where the replica keeps its state instead of .filesinki.", valueName: "dir"),
        completion: .directory)
    var state: String?

    @OptionGroup var waiting: WaitOptions
}

extension RootOptions {
    /// The options as if the user had written them, for a command that names its root otherwise.
    static func make(root: String? = nil, state: String? = nil) throws -> RootOptions {
        try parse((root.map { ["--root", $0] } ?? []) + (state.map { ["--state", $0] } ?? []))
    }

    /// The absolute path that says which replica is meant, where neither an option, the current folder nor the environment does;
    /// nil if there is none.
    func place(among arguments: [String], in console: Console) -> String? {
        guard root == nil, console.environment["FILESINKI_ROOT"]?.isEmpty ?? true,
            let named = arguments.first(where: { $0.hasPrefix("/") }),
            RootChoice.nearestReplica(from: console.currentFolder) == nil
        else { return nil }
        return named
    }
}

/// Which folder is the root, and how it was found; the latter says what a path argument is
/// relative to.
struct RootChoice: Equatable {
    /// How the root was found.
    enum Origin {
        /// Named by `--root`.
        case given
        /// The nearest folder, from a starting place upwards, that holds `.filesinki`.
        case above
        /// Named by `$FILESINKI_ROOT`.
        case environment
        /// The default replica, which is made on first use.
        case standard
    }

    /// Absolute.
    var path: String
    var origin: Origin

    /// Finds the root: `--root`, else the nearest folder above with `.filesinki`, else
    /// `$FILESINKI_ROOT`, else the default replica.
    ///
    /// - Parameters:
    ///   - options: What the user wrote.
    ///   - place: A path that may lie in a replica; then the way up begins there, and only after
    ///     that at the current folder. An absolute one must lie in a replica.
    static func find(
        _ options: RootOptions, near place: String? = nil, in console: Console
    ) throws(Failure) -> RootChoice {
        if let given = options.root {
            let path = try FilePlace.absoluteText(given, in: console.currentFolder)
            return RootChoice(path: path, origin: .given)
        }
        return try withoutOptions(near: place, in: console)
    }

    /// Finds the root as ``find(_:near:in:)`` does without `--root`.
    static func withoutOptions(
        near place: String? = nil, in console: Console
    ) throws(Failure) -> RootChoice {
        if let path = try nearestReplica(place, in: console) {
            return RootChoice(path: path, origin: .above)
        }
        if let hidden = Failure.unsearchable(console.currentFolder) { throw hidden }
        let choice = try elsewhere(in: console)
        if let place { try choice.requireMeant(place, in: console) }
        return choice
    }

    /// The root where no replica is above: `$FILESINKI_ROOT`, else the default replica.
    private static func elsewhere(in console: Console) throws(Failure) -> RootChoice {
        if let variable = console.environment["FILESINKI_ROOT"], !variable.isEmpty {
            let path = try FilePlace.absoluteText(variable, in: console.currentFolder)
            return RootChoice(path: path, origin: .environment)
        }
        return RootChoice(path: try standardPath(console.environment), origin: .standard)
    }

    /// Refuses a relative path that is here and not in the root: the user means the one that is here.
    private func requireMeant(_ place: String, in console: Console) throws(Failure) {
        guard !place.hasPrefix("/"), place != ".", place != "./" else { return }
        let start = try FilePlace.absoluteText(place, in: console.currentFolder)
        guard FileCall.status(Array(start.utf8)) != nil else { return }
        let isPlain = place.split(separator: "/").allSatisfy { $0 != "." && $0 != ".." }
        if isPlain, FileCall.status(Array("\(path)/\(place)".utf8)) != nil { return }
        throw .notInReplica(start)
    }

    /// Refuses a relative path that names something in another replica, or has `..` in it: paths are relative to a
    /// root that is not above the current folder, and the user means what is here.
    func requireMeantHere(_ argument: String, in console: Console) throws(Failure) {
        guard origin == .standard || origin == .environment, !argument.hasPrefix("/") else {
            return
        }
        let place = try FilePlace.absoluteText(argument, in: console.currentFolder)
        if let other = Self.nearestReplica(from: place), other != path {
            throw .inOtherReplica(Array(place.utf8), other)
        }
        guard argument.split(separator: "/").contains("..") else { return }
        var failure = Failure.notInReplica(place)
        failure.code = .badPath
        throw failure
    }

    /// The replica that contains a folder.
    ///
    /// - Parameters:
    ///   - folder: As the user typed it.
    ///   - options: What else the user wrote; `--root` must name the same replica.
    /// - Throws: `Failure` with code `not-found` for a folder that is absent or in no replica, `usage`
    ///   when `--root` names another one: a command never answers for a replica that was not named.
    static func of(
        _ folder: String, _ options: RootOptions, in console: Console
    ) throws(Failure) -> RootChoice {
        let place = try FilePlace.absoluteText(folder, in: console.currentFolder)
        guard FileCall.status(Array(place.utf8)) != nil else { throw .folderNotFound(place) }
        if let given = options.root {
            let root = try FilePlace.absoluteText(given, in: console.currentFolder)
            let choice = RootChoice(path: root, origin: .given)
            _ = try choice.below(Array(place.utf8))
            return choice
        }
        guard let path = nearestReplica(from: place) else { throw .notInReplica(place) }
        return RootChoice(path: path, origin: .above)
    }

    private static func nearestReplica(
        _ place: String?, in console: Console
    ) throws(Failure) -> String? {
        guard let place else { return nearestReplica(from: console.currentFolder) }
        let start = try FilePlace.absoluteText(place, in: console.currentFolder)
        let isThere = FileCall.status(Array(start.utf8)) != nil
        if place.hasPrefix("/") {
            if let path = nearestReplica(from: start) { return path }
            throw isThere ? .notInReplica(start) : .folderNotFound(start)
        }
        if isThere, let path = nearestReplica(from: start) { return path }
        return nearestReplica(from: console.currentFolder)
    }

    /// The folder itself if it holds a `.filesinki` folder.
    static func nearestReplica(at folder: String) -> String? {
        isFolder((folder == "/" ? "" : folder) + "/" + RelativePath.stateFolder) ? folder : nil
    }

    /// The nearest folder from `start` upwards that holds a `.filesinki` folder; nil when none does.
    static func nearestReplica(from start: String) -> String? {
        var folder = start
        while true {
            if let found = nearestReplica(at: folder) { return found }
            guard let cut = folder.lastIndex(of: "/"), folder != "/" else { return nil }
            folder = cut == folder.startIndex ? "/" : String(folder[..<cut])
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        FileCall.status(Array(path.utf8)).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
    }

    /// The default replica's folder, as the XDG base directory specification places data.
    private static func standardPath(_ environment: [String: String]) throws(Failure) -> String {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            return try FilePlace.absoluteText("filesinki", in: data)
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw Failure(
                .usage, "No replica was found, and HOME is not set.",
                remedy: "Name the replica's folder with --root, or set FILESINKI_ROOT.")
        }
        return try FilePlace.absoluteText(".local/share/filesinki", in: home)
    }
}

extension Failure {
    /// A folder was named that is not there, as a disk that is not mounted is not.
    static func folderNotFound(_ path: String) -> Failure {
        Failure(
            .notFound, path: path, "No such file or folder.",
            remedy: "Check the path; if it is on a disk, mount it.")
    }

    /// A folder that this user may not look into, so that nobody can say whether it is a replica; nil for any other.
    static func unsearchable(_ path: String) -> Failure? {
        guard access(path, F_OK) == 0, access(path, X_OK) != 0, errno == EACCES,
            let status = FileCall.status(Array(path.utf8)), status.st_mode & S_IFMT == S_IFDIR
        else { return nil }
        return SystemError(EACCES).failure("look for a replica in the folder", path, of: .local)
    }

    /// A folder was named that is not part of a replica.
    static func notInReplica(_ path: String) -> Failure {
        if let hidden = unsearchable(path) { return hidden }
        return Failure(
            .notFound, path: path, "Not in a replica.",
            remedy: OutsideOfReplicas.none + " If it is on a disk, mount it.")
    }
}

/// Reads the files of rules in a root, without opening the replica.
struct RootReader {
    /// The root's absolute path.
    let root: String

    /// The largest file of rules that is read, in bytes.
    private static let limit = 4 << 20

    /// The content of a regular file; nil for anything else. A symlink is not followed.
    ///
    /// - Throws: `Failure` when the file exists and cannot be read.
    func read(_ path: RelativePath) throws -> [UInt8]? {
        let place = place(path)
        guard let status = FileCall.status(place), status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        let file = try InputFile(place: place, flags: O_NOFOLLOW, name: path.description)
        return try file.readAll(limit: Self.limit)
    }

    /// Whether something is at a path now.
    func exists(_ path: RelativePath) -> Bool { FileCall.status(place(path)) != nil }

    /// Whether a path is a folder now.
    func isFolder(_ path: RelativePath) -> Bool {
        FileCall.status(place(path)).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
    }

    /// Whether something is at a path that is no file, folder or symlink.
    func isSpecial(_ path: RelativePath) -> Bool {
        guard let kind = FileCall.status(place(path)).map({ $0.st_mode & S_IFMT }) else {
            return false
        }
        return ![S_IFREG, S_IFDIR, S_IFLNK].contains(kind)
    }

    /// The ignore rules of the root, for each user who has an ignore file, and what was wrong with the settings that say which count.
    ///
    /// - Parameters:
    ///   - state: The replica's state folder, which may have an ignore file.
    ///   - patterns: What one run leaves out besides.
    func ignoreFilter(
        _ environment: [String: String], _ state: StateFolder, _ patterns: RunPatterns = .none
    ) throws -> ([IgnoreFilter], [Failure]) {
        let rules = try settings(environment, state)
        let users = try UserIgnoreFiles.find(Settings.userFile { environment[$0] }, in: state)
        let synced = try read(RelativePath(Settings.syncedFile))
        let filters = try IgnoreFilter.each(
            of: users.files, replica: deviceFile(state.ignore),
            gitignore: rules.gitignore || users.applyGitignore(synced: synced, in: state),
            patterns: patterns
        ) { try read(RelativePath($0)) }
        return (filters, rules.problems)
    }

    private func settings(
        _ environment: [String: String], _ state: StateFolder
    ) throws -> RulesLoad {
        let ofReplica = state.path + "/" + Settings.deviceFile
        return RulesLoad(
            synced: try read(RelativePath(Settings.syncedFile)),
            device: try [Settings.userFile { environment[$0] }, ofReplica].compactMap(deviceFile))
    }

    /// A file of this device; nil if it does not exist.
    private func deviceFile(_ path: String?) throws -> RulesLoad.DeviceFile? {
        guard let path, FileCall.status(Array(path.utf8)) != nil else { return nil }
        let file = try InputFile(place: Array(path.utf8), flags: 0, name: path)
        return RulesLoad.DeviceFile(path: path, bytes: try file.readAll(limit: Self.limit))
    }

    private func place(_ path: RelativePath) -> [UInt8] {
        Array(root.utf8) + [UInt8(ascii: "/")] + path.bytes
    }
}
