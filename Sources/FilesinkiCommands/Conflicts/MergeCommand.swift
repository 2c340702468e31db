import ArgumentParser
import FilesinkiEngine
import FilesinkiMerge
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiSystem
import FilesinkiText
import Glibc

/// `merge`: three files become one.
struct MergeCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Merge three files as sync does.",
        discussion: """
            Exits with 0 if everything was merged, and with 1 if a conflict remains; then nothing is \
            written unless --markers is given. An empty BASE means no common base. As git's merge \
            driver: filesinki merge --markers --path %P -o %A %O %A %B
            """)

    @Argument(help: "The common base.", completion: .file())
    var base: String

    @Argument(help: "One side.", completion: .file())
    var here: String

    @Argument(help: "The other side.", completion: .file())
    var there: String

    @Option(name: .long, help: ArgumentHelp("The strategy to use.", valueName: "chain"))
    var strategy = "auto"

    @Option(
        name: .long,
        help: ArgumentHelp("The file's name, which selects the merge.", valueName: "name"))
    var path: String?

    @Option(name: .shortAndLong, help: "Write to this file, atomically.")
    var output: String?

    @Flag(name: .long, help: "Write conflict markers where a conflict remains.")
    var markers = false

    @Flag(
        name: .long,
        help: "Check whether the merge is symmetric and idempotent for these files.")
    var check = false

    @Option(
        name: .long,
        help: ArgumentHelp("Time limit for a merge command, e.g. 60s.", valueName: "time"))
    var timeLimit = "60s"

    @OptionGroup var merging: MergeOptions
    @OptionGroup var report: ReportOptions

    /// The largest text that is written with markers, in bytes.
    private static let markedLimit = 128 << 20

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let merge = try fileMerge(in: console)
        let parent = console.environment["TMPDIR"] ?? "/tmp"
        let outputs = try MergeOutputs(inside: parent)
        defer { outputs.remove() }
        if check {
            return try show(await MergeCheck(merge, keepingIn: outputs), in: console)
        }
        try console.requireFile(output)
        switch try await merge.run(keepingIn: outputs) {
        case .merged(let file, let word, let reasons):
            for reason in reasons { console.say(reason) }
            try write(in: console) { try MergeVersions.stream(file, $0) }
            console.detail("Merged by \(word).")
            try tell(.done, by: word, reasons, in: console)
            return .done
        case .conflict(let reasons):
            for reason in reasons { console.say(reason) }
            if markers { try writeMarked(merge, in: console) }
            try tell(.negative, by: nil, reasons, in: console)
            return .negative
        }
    }

    private func tell(
        _ code: ExitCode, by word: String?, _ reasons: [String], in console: Console
    ) throws {
        guard report.json else { return }
        var object: JSONObject = ["type": "merge"]
        object.add("exit", code.rawValue)
        object.add("merged_by", word)
        object.add("reasons", .array(reasons.map(JSONValue.string)))
        try console.output.json(object)
    }

    private func fileMerge(in console: Console) throws -> FileMerge {
        let limit = max(1, try TimeText.length(timeLimit))
        let files = try [base, here, there].map { try Self.file($0, in: console) }
        // Without a path, the name of the file decides how it is merged.
        let last = files[1].utf8.split(separator: UInt8(ascii: "/")).last
        let name = path.map(ArgumentText.bytes) ?? last.map { Array($0) } ?? []
        return FileMerge(
            base: files[0], ours: files[1], theirs: files[2], path: try RelativePath(name),
            strategy: try Strategy(parsing: strategy), settings: try merging.settings(),
            commandLimit: .seconds(limit))
    }

    /// The real path of a file that has to be there: 1 would tell git of a conflict.
    private static func file(_ argument: String, in console: Console) throws -> String {
        let path = try FilePlace.absoluteText(argument, in: console.currentFolder)
        var status = stat()
        guard stat(path, &status) == 0, let real = realpath(path, nil) else {
            let error = SystemError.last
            throw error.isMissing
                ? Self.notFile(path, "File not found.")
                : error.failure("read the file", path, of: .argument)
        }
        defer { free(real) }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw Self.notFile(path, "Is a folder.")
        }
        return String(cString: real)
    }

    private static func notFile(_ path: String, _ message: String) -> Failure {
        Failure(
            .usage, path: path, message,
            remedy: "Give three files: BASE HERE THERE. An empty BASE means no common base.")
    }

    private func write(
        in console: Console,
        _ give: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        guard let output else { return try give { try console.output.write($0) } }
        let file = try OutputFile(output, in: console)
        try give { try file.write($0) }
        try file.finish()
    }

    /// Writes both sides of each conflict between markers, when the contents are text.
    private func writeMarked(_ merge: FileMerge, in console: Console) throws {
        let versions = try [merge.base, merge.ours, merge.theirs].map {
            try MergeVersions.read($0, limit: Self.markedLimit)
        }
        guard let base = versions[0], let ours = versions[1], let theirs = versions[2],
            let text = TextMerge.marked(MergeInput(base: base, ours: ours, theirs: theirs))
        else {
            return console.say("The contents are not text; conflict markers cannot be written.")
        }
        try write(in: console) { try text.withUnsafeBytes($0) }
    }

    private func show(_ found: MergeCheck, in console: Console) throws -> ExitCode {
        var object: JSONObject = ["type": "merge-check"]
        switch found.result {
        case .merged(_, let word, _): object.add("merged_by", word)
        case .conflict(let reasons): object.add("conflict", reasons.joined(separator: "\n"))
        }
        object.add("symmetric", found.isSymmetric)
        object.add("idempotent", found.isIdempotent)
        if report.json {
            try console.output.json(object)
        } else {
            switch found.result {
            case .merged(_, let word, _): try console.output.line("merged by: \(word)")
            case .conflict: try console.output.line("merged by: nothing; a conflict remains")
            }
            try console.output.line("symmetric: \(found.isSymmetric ? "yes" : "no")")
            try console.output.line("idempotent: \(found.isIdempotent ? "yes" : "no")")
        }
        return found.isSymmetric && found.isIdempotent ? .done : .negative
    }
}

/// What `merge` says to the merges, as a `[[rule]]` does for a path.
struct MergeOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "How to merge a field that both sides changed: max, min, sum, union, newest or max-version.",
            valueName: "/pointer=rule"))
    var field: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The side to take for a field that both changed: newest, oldest, here or there.",
            valueName: "choice"))
    var fieldChoice: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The member that identifies the objects of an array.", valueName: "/pointer=member"))
    var identity: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("The columns that identify CSV rows.", valueName: "names"))
    var keyColumns: String?

    /// - Throws: `Failure` with code `usage` for what is not understood.
    func settings() throws(Failure) -> MergeSettings {
        var settings = MergeSettings()
        for text in field {
            let (pattern, word) = try Self.pair(text)
            guard let resolution = FieldRule.Resolution(rawValue: word) else {
                throw Self.unknown(word, FieldRule.Resolution.allCases.map(\.rawValue))
            }
            settings.fields.append(FieldRule(pattern: pattern, resolution: resolution))
        }
        for text in identity {
            let (pattern, member) = try Self.pair(text)
            settings.identities.append(IdentityRule(pattern: pattern, member: member))
        }
        settings.keyColumns =
            keyColumns?.split(separator: ",").map { String($0) } ?? []
        if let fieldChoice {
            guard let choice = FieldChoice(rawValue: fieldChoice) else {
                throw Self.unknown(fieldChoice, FieldChoice.allCases.map(\.rawValue))
            }
            settings.fieldChoice = choice
        }
        return settings
    }

    private static func pair(_ text: String) throws(Failure) -> (FieldPattern, String) {
        guard let cut = text.lastIndex(of: "=") else {
            throw Failure(
                .usage, path: text, "Missing = between the field and its rule.",
                remedy: "Write it as /score=max.")
        }
        return (
            try FieldPattern(parsing: String(text[..<cut])), String(text[text.index(after: cut)...])
        )
    }

    private static func unknown(_ word: String, _ known: [String]) -> Failure {
        Failure(
            .usage, path: word, "Unknown choice.",
            remedy: "Use one of \(known.joined(separator: ", ")).")
    }
}
