import FilesinkiLiveDatabase
import FilesinkiMerge
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiSystem
import Glibc

/// Asks the links that need the contents of the versions: merges, comparisons, and commands that
/// merge or choose.
struct LinkRunner: Sendable {
    /// How long a command of the user's may take.
    let commandLimit: Duration
    /// Is told what merges decide, if somebody asks why.
    var trace: MergeTrace?
    /// What the rules say to the merges of a path.
    let settings: @Sendable (RelativePath) -> MergeSettings

    /// - Parameters:
    ///   - conflict: A conflict of files.
    ///   - outputs: Where a merged content is kept.
    /// - Throws: `Failure` where a file cannot be read or written. What a link cannot do is a result.
    func ask(
        _ link: StrategyLink, _ conflict: Conflict, _ versions: MergeVersions,
        _ outputs: MergeOutputs
    ) throws -> LinkResult {
        let run = LinkRun(
            conflict: conflict, versions: versions, outputs: outputs,
            settings: settings(conflict.path), commandLimit: commandLimit, trace: trace)
        let result =
            switch link {
            case .merge(let merge): try run.merge(merge)
            case .comparison(let comparison): try run.compare(comparison)
            case .command(let command): try run.choose(command)
            case .device: LinkResult.declined(["Only a replica knows who wrote a version."])
            case .choice, .end, .program: LinkResult.declined([])
            }
        if case .declined = result { versions.discardFiles() }
        return result
    }
}

/// One link, asked about one conflict.
private struct LinkRun {
    let conflict: Conflict
    let versions: MergeVersions
    let outputs: MergeOutputs
    let settings: MergeSettings
    let commandLimit: Duration
    let trace: MergeTrace?

    private var oursModified: Timestamp { conflict.ours?.modified ?? Timestamp(nanoseconds: 0) }
    private var theirsModified: Timestamp { conflict.theirs?.modified ?? Timestamp(nanoseconds: 0) }

    func merge(_ link: MergeLink) throws -> LinkResult {
        switch link {
        case .auto: return try mergeByKind()
        // Here the user says that it is a table, so that rows need no column that identifies them.
        case .format(.csv): return try merge(by: CSVMerge(), input(), as: "csv")
        case .format(let format):
            guard let document = DocumentFormat(format, fileName: conflict.path.name) else {
                return try mergeDatabases(by: format.rawValue)
            }
            return try merge(by: document.merge, input(), as: format.rawValue)
        case .exec(let command): return try mergeByProgram(command)
        }
    }

    /// Chooses the format that a rule names, else by content: SQLite databases, documents that are archives, JSON,
    /// then text, which the name may call a format.
    private func mergeByKind() throws -> LinkResult {
        if let format = settings.format { return try mergeByRule(format) }
        let document = DocumentFormat(fileName: conflict.path.name)
        switch try ContentKind.common(of: versions, hasBase: versions.hasBase) {
        case .database: return try mergeDatabases(by: "auto:sqlite", .content)
        case .json where document?.format == .ipynb: return try mergeDocument(.notebook, .name)
        case .odf: return try mergeDocument(.archive(.odf), .content)
        case .ooxml: return try mergeDocument(.archive(.ooxml), .content)
        case .epub: return try mergeDocument(.archive(.epub), .content)
        case .json: return try merge(by: JSONMerge(), input(), as: "auto:json", .content)
        case .text:
            guard let document else {
                return try merge(by: TextMerge(), input(), as: "auto:text", .content)
            }
            return try mergeDocument(document, .name)
        case .other:
            return .declined([MergeTrace.noFormat])
        }
    }

    private func mergeByRule(_ format: ContentFormat) throws -> LinkResult {
        guard let document = DocumentFormat(format, fileName: conflict.path.name) else {
            return try mergeDatabases(by: "auto:\(format.rawValue)", .rule)
        }
        return try mergeDocument(document, .rule)
    }

    /// Merges by a format, if all versions are of it, and by lines otherwise.
    private func mergeDocument(
        _ document: DocumentFormat, _ source: MergeTrace.FormatSource
    ) throws -> LinkResult {
        guard let input = try input() else {
            return try merge(by: document.merge, nil, as: "auto:\(document.word)", source)
        }
        let rule = "auto:\(document.word)"
        trace?.begin(rule, source)
        guard let outcome = document.mergeDocuments(input) else {
            trace?.begin("auto:text", .content, unread: document.word)
            return try keep(document.textMerge.merge(input), by: "auto:text")
        }
        return try keep(outcome, by: rule)
    }

    /// - Parameters:
    ///   - input: Nil where a version is too large.
    ///   - source: Why the link chose the format; nil if the link is a format.
    private func merge(
        by merge: any ContentMerge, _ input: MergeInput?, as rule: String,
        _ source: MergeTrace.FormatSource? = nil
    ) throws -> LinkResult {
        trace?.begin(rule, source)
        guard let input else {
            return .declined(["A content is larger than \(MergeVersions.readLimit) bytes."])
        }
        return try keep(merge.merge(input), by: rule)
    }

    private func keep(_ outcome: MergeOutcome, by rule: String) throws -> LinkResult {
        switch outcome {
        case .declined(let conflicts): return declined(conflicts)
        case .merged(let bytes):
            versions.hold(bytes, as: .result)
            return .resolved(try outputs.keepResult(of: versions, conflict, by: rule))
        }
    }

    private func declined(_ conflicts: [MergeConflict]) -> LinkResult {
        trace?.add(conflicts)
        return .declined(conflicts.map(\.description))
    }

    /// The versions in memory; nil where one is too large.
    private func input() throws(Failure) -> MergeInput? {
        let limit = MergeVersions.readLimit
        guard let ours = try versions.read(.ours, limit: limit),
            let theirs = try versions.read(.theirs, limit: limit),
            let base = try versions.read(.base, limit: limit)
        else { return nil }
        return MergeInput(
            base: versions.hasBase ? base : nil, ours: ours, theirs: theirs,
            oursModified: oursModified, theirsModified: theirsModified, settings: settings,
            trace: trace)
    }

    private func mergeDatabases(
        by rule: String, _ source: MergeTrace.FormatSource? = nil
    ) throws -> LinkResult {
        trace?.begin(rule, source)
        let merge = SQLiteMerge(
            settings: settings, oursModified: oursModified, theirsModified: theirsModified,
            trace: trace)
        let result = try versions.newFile(.result)
        let base = versions.hasBase ? try versions.file(.base) : nil
        let (ours, theirs) = (try versions.file(.ours), try versions.file(.theirs))
        // What SQLite counts in the header is no change of either side.
        for version in [base, ours, theirs].compactMap(\.self) {
            try LiveDatabases.normalize(version)
        }
        let outcome = try merge.merge(base: base, ours: ours, theirs: theirs, into: result)
        switch outcome {
        case .merged:
            try LiveDatabases.normalize(result)
            return .resolved(try outputs.keepResult(of: versions, conflict, by: rule))
        case .declined(let conflicts): return declined(conflicts)
        }
    }

    func compare(_ comparison: Comparison) throws -> LinkResult {
        guard let input = try input(),
            let order = JSONComparison.compare(
                pointer: comparison.pointer, ours: input.ours, theirs: input.theirs)
        else { return .declined(["There is no comparable value at '\(comparison.pointer)'."]) }
        let isOurs: Bool
        switch order {
        case .equal:
            return .declined(["Both sides have the same value at '\(comparison.pointer)'."])
        case .greater: isOurs = comparison.isGreater
        case .lesser: isOurs = !comparison.isGreater
        }
        let rule = StrategyLink.comparison(comparison).description
        return .resolved(Resolution(isOurs ? .ours : .theirs, by: rule))
    }
}

/// Commands of the user's.
extension LinkRun {
    /// `choose:COMMAND`: the command finds the files' names in `$FILESINKI_BASE`, `$FILESINKI_HERE` and
    /// `$FILESINKI_THERE` and the path in `$FILESINKI_PATH`, and prints `here`, `there` or `keep-both`.
    func choose(_ command: String) throws -> LinkResult {
        let command = UserCommand(text: command, variables: try variables(), limit: commandLimit)
        switch try command.run() {
        case .ranOutOfTime: return .declined(["The command took longer than \(commandLimit)."])
        case .ended(code: 0, let output): return choice(output, command.text)
        case .ended(let code, _):
            return .declined(["The command failed with exit code \(code)."])
        }
    }

    private func choice(_ output: [UInt8], _ command: String) -> LinkResult {
        let rule = StrategyLink.command(command).description
        let words = output.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: " ") }
        switch words.first.map({ String(decoding: $0, as: UTF8.self) }) {
        case "here": return .resolved(Resolution(.ours, by: rule))
        case "there": return .resolved(Resolution(.theirs, by: rule))
        case "keep-both": return .resolved(Resolution(.keepBoth, by: rule))
        default: return .declined(["The command named no side."])
        }
    }

    /// `exec:COMMAND`, by git's convention of a merge driver: see ``MergeDriver``.
    private func mergeByProgram(_ command: String) throws -> LinkResult {
        let rule = "exec:\(command)"
        trace?.begin(rule)
        let kind = try ContentKind.common(of: versions, hasBase: false)
        let variables = try variables()
        let before = FileStamp(ofRegularFile: try versions.file(.ours))
        let run = UserCommand(
            text: MergeDriver(command).expanded, variables: variables, limit: commandLimit)
        switch try run.run() {
        case .ranOutOfTime: return .declined(["The command took longer than \(commandLimit)."])
        case .ended(code: 1, _): return .declined(["The command declined."])
        case .ended(code: 0, _): return try programResult(before, kind, by: rule)
        case .ended(let code, _):
            return .declined(["The command failed with exit code \(code)."])
        }
    }

    private func variables() throws -> [(name: String, value: [UInt8])] {
        MergeDriver.variables(
            base: try versions.file(.base), here: try versions.file(.ours),
            there: try versions.file(.theirs), path: conflict.path.bytes)
    }

    /// What the program made of the file of ours, unless it is empty, or not of the kind of both sides.
    private func programResult(
        _ before: FileStamp?, _ kind: ContentKind, by rule: String
    ) throws -> LinkResult {
        guard let after = FileStamp(ofRegularFile: try versions.file(.ours)), after != before else {
            return .declined(["The command exited with 0 and wrote nothing."])
        }
        if after.size == 0, before?.size != 0,
            FileStamp(ofRegularFile: try versions.file(.theirs))?.size != 0
        {
            return .declined(["The command's result is empty."])
        }
        try versions.takeOursAsResult()
        if kind != .other, try !kind.covers(ContentKind(of: versions, .result)) {
            return .declined([
                "The command's result is not \(kind.rawValue), as both sides are."
            ])
        }
        trace?.add("", .both, .strategy(rule))
        return .resolved(try outputs.keepResult(of: versions, conflict, by: rule))
    }
}

/// What a content is by its bytes, for the choice of a merge. The name says which format a text has: see
/// ``DocumentFormat``.
private enum ContentKind: String {
    case database = "a database"
    case json = "JSON"
    case odf = "an ODF document"
    case ooxml = "an Office Open XML document"
    case epub = "an EPUB book"
    case text, other

    /// The kind that all versions have, by their bytes and not by their name.
    static func common(of versions: MergeVersions, hasBase: Bool) throws(Failure) -> ContentKind {
        let roles: [MergeVersions.Role] = hasBase ? [.base, .ours, .theirs] : [.ours, .theirs]
        var kinds: [ContentKind] = []
        for role in roles { kinds.append(try ContentKind(of: versions, role)) }
        guard let first = kinds.first else { return .other }
        if kinds.allSatisfy({ $0 == first }) { return first }
        // JSON is text; where one side is not JSON any more, its lines can still be merged.
        return kinds.allSatisfy { $0 == .json || $0 == .text } ? .text : .other
    }

    /// Whether a content of the other kind may replace one of this kind.
    func covers(_ other: ContentKind) -> Bool { self == other || self == .text && other == .json }

    /// The kind of one version.
    init(of versions: MergeVersions, _ role: MergeVersions.Role) throws(Failure) {
        self = .other
        let head = try versions.read(role, first: 16)
        if head.elementsEqual("SQLite format 3\0".utf8) {
            self = .database
        } else if ArchiveKind.isArchive(head) {
            let kind = try versions.read(role, limit: MergeVersions.readLimit).flatMap(
                ArchiveKind.init(of:))
            self = kind.map(Self.init(_:)) ?? .other
        } else if let bytes = try versions.read(role, limit: MergeVersions.readLimit),
            !bytes.contains(0)
        {
            self = Self.isContainer(bytes) && JSONMerge.isDocument(bytes) ? .json : .text
        }
    }

    private init(_ kind: ArchiveKind) {
        switch kind {
        case .odf: self = .odf
        case .ooxml: self = .ooxml
        case .epub: self = .epub
        }
    }

    /// Whether the first character begins an object or an array: a word or a number alone is text.
    private static func isContainer(_ bytes: [UInt8]) -> Bool {
        let blank: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]
        let first = bytes.first { !blank.contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}
