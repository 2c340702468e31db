import ArgumentParser
import FilesinkiMerge
import FilesinkiModel
import FilesinkiSystem
import FilesinkiText
import Glibc

/// Makes this program git's merge driver: what git's settings say of it, and the names of the files that it is for.
///
/// Source: gitattributes(5), "Defining a custom merge driver".
struct GitDriver {
    /// Whose settings and attributes are changed.
    enum Scope {
        case repository
        /// Those of the user.
        case global
    }

    /// Which file has the attributes.
    enum Attributes {
        /// `.git/info/attributes`, or the user's.
        case own
        /// `.gitattributes`, which is committed.
        case versioned
    }

    let scope: Scope
    let attributes: Attributes
    private let git: GitProgram
    private let console: Console

    init(_ scope: Scope, _ attributes: Attributes, in console: Console) {
        self.scope = scope
        self.attributes = attributes
        self.console = console
        git = GitProgram(console.environment, in: console.currentFolder)
    }

    private static let section = "merge.filesinki"

    /// The settings of the driver. git replaces `%O`, `%A` and `%B` by files with base, ours and theirs, `%L` by the
    /// length of markers and `%P` by the path, in quotes; since 2.44, also ``labels`` by the names of both branches.
    private static let settings = [
        ("name", "filesinki: merge by the format of the file"),
        (
            "driver",
            "filesinki merge --markers --marker-size %L --label=%X --label=%Y --path %P -o %A %O %A %B"
        ),
    ]

    /// What git replaces by the names of ours and theirs.
    static let labels = ["%X", "%Y"]

    private static let marked = MarkedLines(
        begin: "# begin filesinki (removed by: filesinki merge --uninstall-git-driver)",
        end: "# end filesinki")

    /// The lines of the attributes.
    static var lines: [String] {
        FormatNames.all.flatMap { $0.patterns.map { "\($0) merge=filesinki" } }
    }

    /// Sets the driver and writes the attributes; what is there of an earlier installation is replaced.
    ///
    /// - Returns: The path of the attributes.
    func install() throws -> String {
        let file = try attributesFile()
        let text = try read(file)
        let changed = try located(file) { () throws(Failure) in
            try Self.marked.replacing(with: Self.lines, in: text)
        }
        for (name, value) in Self.settings {
            try changeSettings(["\(Self.section).\(name)", value])
        }
        try write(changed, over: text, to: file)
        return file
    }

    /// Removes the driver and the lines of the attributes.
    ///
    /// - Returns: The path of the attributes.
    func uninstall() throws -> String {
        let file = try attributesFile()
        let text = try read(file)
        let changed = try located(file) { () throws(Failure) in
            try Self.marked.removed(from: text)
        }
        try write(changed, over: text, to: file)
        let driver = ["config", place, "--get", "\(Self.section).driver"]
        if try line(driver) != nil {
            try changeSettings(["--remove-section", Self.section])
        }
        return file
    }

    // MARK: Settings

    private var place: String { scope == .global ? "--global" : "--local" }

    private func changeSettings(_ words: [String]) throws(Failure) {
        let code = try SystemError.reported("run git", "git".utf8) { () throws(SystemError) in
            try git.run(["config", place] + words).code
        }
        guard code == 0 else {
            throw Failure(
                .io, path: "git config", "git cannot change its settings: exit code \(code).",
                remedy: "Run git config \(place) \(Self.section).name x, and see what git says.")
        }
    }

    private func line(_ words: [String]) throws(Failure) -> String? {
        try SystemError.reported("run git", "git".utf8) { () throws(SystemError) in
            try git.line(words)
        }
    }

    // MARK: Attributes

    private func attributesFile() throws(Failure) -> String {
        switch (scope, attributes) {
        case (.global, _): return try globalAttributes()
        case (.repository, .own):
            return try inRepository(["rev-parse", "--git-path", "info/attributes"])
        case (.repository, .versioned):
            return try inRepository(["rev-parse", "--show-toplevel"]) + "/.gitattributes"
        }
    }

    private func inRepository(_ words: [String]) throws(Failure) -> String {
        if let path = try line(words) {
            return try FilePlace.absoluteText(path, in: console.currentFolder)
        }
        throw try isInstalled()
            ? Failure(
                .usage, path: console.currentFolder, "Not in the files of a git repository.",
                remedy: "Run it there, or give --global.")
            : Failure(
                .notFound, path: "git", "git was not found.",
                remedy: "Install git, or add its folder to PATH.")
    }

    private func isInstalled() throws(Failure) -> Bool {
        try SystemError.reported("run git", "git".utf8) { () throws(SystemError) in
            try git.run(["--version"]).code != GitProgram.missing
        }
    }

    /// The user's attributes: where a setting says, else where git looks without one.
    private func globalAttributes() throws(Failure) -> String {
        let setting = ["config", "--global", "--type=path", "--get", "core.attributesFile"]
        if let path = try line(setting) {
            return try FilePlace.absoluteText(path, in: console.currentFolder)
        }
        if let base = BaseFolder.configuration.path({ console.environment[$0] }) {
            return base + "/git/attributes"
        }
        throw Failure(.usage, "HOME is not set.", remedy: "Set it, or set XDG_CONFIG_HOME.")
    }

    private func read(_ file: String) throws(Failure) -> [UInt8] {
        try StateFile.read(file, followingSymlinks: true) ?? []
    }

    /// Replaces the file; one in which nothing is left is removed.
    private func write(_ text: [UInt8], over old: [UInt8], to file: String) throws {
        guard text != old else { return }
        if text.isEmpty {
            guard unlink(file) == 0 else {
                throw SystemError.last.failure("remove the file", file, of: .argument)
            }
            return
        }
        try StateFile.makeFolder(String(file[..<(file.lastIndex(of: "/") ?? file.startIndex)]))
        try console.write(text, to: file)
    }

    /// Adds the path to a failure.
    private func located(
        _ file: String, _ body: () throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt8] {
        do { return try body() } catch {
            var failure = error
            failure.path = Array(file.utf8)
            throw failure
        }
    }
}

/// The options of `merge` that change git's settings.
struct GitDriverOptions: ParsableArguments {
    enum Action { case install, uninstall }

    @Flag(name: .long, help: "Make git merge by this command, for all known formats.")
    var installGitDriver = false

    @Flag(name: .long, help: "Take back what --install-git-driver has changed.")
    var uninstallGitDriver = false

    @Flag(name: .long, help: "Change git's settings of this user, not of this repository.")
    var global = false

    @Flag(name: .long, help: "List the formats in .gitattributes, which is committed.")
    var attributes = false

    /// What to do; nil to merge files.
    var action: Action? { installGitDriver ? .install : uninstallGitDriver ? .uninstall : nil }

    /// - Parameter hasFiles: Whether the command line has files to merge.
    func validate(hasFiles: Bool) throws {
        if installGitDriver, uninstallGitDriver {
            throw ValidationError("Give --install-git-driver or --uninstall-git-driver.")
        }
        if global, attributes { throw ValidationError("Give --global or --attributes.") }
        if action != nil, hasFiles {
            throw ValidationError("No files are merged with --install-git-driver.")
        }
        if action == nil, global || attributes {
            throw ValidationError("--global and --attributes need --install-git-driver.")
        }
    }

    func run(_ action: Action, isJSON: Bool, in console: Console) throws {
        let driver = GitDriver(
            global ? .global : .repository, attributes ? .versioned : .own, in: console)
        let file = action == .install ? try driver.install() : try driver.uninstall()
        if isJSON {
            var object: JSONObject = ["type": "git-driver"]
            object.add("installed", action == .install)
            object.add("global", global)
            object.add("attributes", file)
            return try console.output.json(object)
        }
        let shown = printable(file.utf8)
        try console.output.line(
            action == .install
                ? "Installed the merge driver, for \(GitDriver.lines.count) patterns in \(shown)."
                : "Removed the merge driver from \(shown).")
    }
}
