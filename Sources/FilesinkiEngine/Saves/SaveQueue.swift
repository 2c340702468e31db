import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem

extension Saves {
    /// Saves while another process is at work on the replica: that one, or the next, takes everything
    /// that waits into one run and one commit. A hundred saves at once then cost as much as a few.
    func saveInTurn(
        _ path: RelativePath, _ options: SaveOptions,
        content write: @Sendable ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) async throws -> SaveReport {
        let name = hexadecimal(systemContext.randomBytes(8))
        let ticket = try QueuedRequest.enqueue(in: state.saves, name: name)
        let saved = try ticket.fill(write)
        let wish = SaveRequest(path: path, mode: options.mode, modified: systemContext.now())
        try ticket.submit(wish.bytes)
        var waited = Duration.zero
        var backoff = Backoff(.milliseconds(2)...(.milliseconds(20)))
        while true {
            if let report = try Self.outcome(of: ticket, saved) { return report }
            if let free = try await ReplicaContext.openIfFree(self.options) {
                return try await Saves(free).save(ticket, saved, path, options)
            }
            if waited >= self.options.lockWait, ticket.withdraw() {
                throw Failure(
                    .busy, path: state.lock, "Another run is at work on this replica.",
                    remedy: "Wait for it to end, or stop it; the lock goes with it.")
            }
            let pause = backoff.next()
            try await systemContext.sleep(pause)
            waited += pause
        }
    }

    private static func outcome(of ticket: QueuedRequest, _ saved: ContentID) throws -> SaveReport?
    {
        guard let bytes = try ticket.answer() else { return nil }
        switch SaveResponse(bytes, saved: saved) {
        case .saved(let report): return report
        case .failed(let failure): throw failure
        case nil: return nil
        }
    }

    /// What the one that waited does when it has the replica for itself: its own save, and those of all
    /// others that wait.
    private func save(
        _ ticket: QueuedRequest, _ saved: ContentID, _ path: RelativePath, _ options: SaveOptions
    ) async throws -> SaveReport {
        defer { replica.close() }
        // It was done a moment ago. If it was only begun, by a process that was killed, it is begun anew.
        if let report = try Self.outcome(of: ticket, saved) { return report }
        _ = ticket.withdraw()
        return try await save(path, options) { try ticket.read($0) }
    }

    /// Does the saves that other processes wait with, all in one run.
    ///
    /// What goes wrong is told to those; this process has done its own work already.
    func serveSaves() async {
        let saves = takeSaves()
        guard !saves.isEmpty else { return }
        do {
            let placed = try place(saves)
            guard !placed.isEmpty else { return }
            let paths = placed.map(\.wish.path)
            let options = SyncOptions()
            let report = try await sync.syncPaths(paths, options, saved: Set(paths))
            for save in placed { try save.ticket.answer(answer(report, save.wish.path).bytes) }
            // What a killed run left at other paths is in none of the answers.
            try sync.keepUnreported(report.copies.filter { !$0.isCopy(ofOneOf: paths) })
        } catch {
            let failure = error as? Failure
            for save in saves { save.refuse(failure ?? .interruptedSave) }
        }
    }

    private func takeSaves() -> [WaitingSave] {
        var paths: Set<RelativePath> = []
        // Each content of one path has to become a version of its own: the second one waits.
        let tickets = AcceptedRequest.drain(in: state.saves) { bytes in
            guard let wish = SaveRequest(bytes) else { return false }
            return paths.insert(wish.path).inserted
        }
        return tickets.compactMap { ticket in
            SaveRequest(ticket.wish).map { WaitingSave(ticket: ticket, wish: $0) }
        }
    }

    /// Puts what waits at its paths; who cannot have it so is told why, and left out.
    private func place(_ saves: [WaitingSave]) throws -> [WaitingSave] {
        let staging = try Staging(root: root, folder: state.staging)
        let writer = TreeWriter(root: root, staging: staging, sync: .batch)
        var staged: [(WaitingSave, StagedFile)] = []
        for save in saves {
            do throws(Failure) {
                let file = try staging.adopt(save.ticket.content)
                let mode = try root.modeToKeep(at: save.wish.path) ?? save.wish.mode
                try file.finish(mode: mode, modified: save.wish.modified, sync: false)
                staged.append((save, file))
            } catch { save.refuse(error) }
        }
        try writer.flush()
        var placed: [WaitingSave] = []
        for (save, file) in staged {
            do throws(Failure) {
                try writer.makeFolders(above: save.wish.path)
                _ = try writer.install(file, at: save.wish.path, expecting: .any)
                placed.append(save)
            } catch { save.refuse(error) }
        }
        try writer.flush()
        return placed
    }

    private func answer(_ report: SyncReport, _ path: RelativePath) throws -> SaveResponse {
        var own = SyncReport()
        own.problems = report.problems.filter { $0.path == path }
        own.notices = report.notices.filter { $0.path == path }
        own.copies = report.copies.filter { $0.isCopy(ofOneOf: [path]) }
        own.away = report.away
        own.hasRemote = report.hasRemote
        own.isQueued = report.isQueued
        return .saved(try self.report(own, of: path, nil))
    }
}

extension RelativePath {
    /// Whether the name is that of a conflict copy of one of the paths.
    fileprivate func isCopy(ofOneOf paths: [RelativePath]) -> Bool {
        conflictOriginal(of: self).map { paths.contains($0.path) } ?? false
    }
}

/// A save that another process waits for.
private struct WaitingSave {
    var ticket: AcceptedRequest
    var wish: SaveRequest

    /// Tells why it was not done. If that cannot be told, the one that waits does it by itself.
    func refuse(_ failure: Failure) {
        try? ticket.answer(SaveResponse.failed(failure).bytes)
    }
}

extension Failure {
    fileprivate static let interruptedSave = Failure(
        .interrupted, "The process that did this save was stopped.", remedy: "Save it again.")

    fileprivate func line(_ kind: String) -> String {
        let words = [path, Array(message.utf8), Array(remedy.utf8)].map { hexadecimal($0) }
        return ([kind, code.description] + words).joined(separator: " ")
    }

    fileprivate init?(words: [String]) {
        guard words.count == 5, let path = FilesinkiModel.bytes(hexadecimal: words[2]),
            let message = FilesinkiModel.bytes(hexadecimal: words[3]),
            let remedy = FilesinkiModel.bytes(hexadecimal: words[4])
        else { return nil }
        self.init(
            Code(words[1]), path: path, String(decoding: message, as: UTF8.self),
            remedy: String(decoding: remedy, as: UTF8.self))
    }
}

/// What a process that waits wants to be saved, beside the content.
struct SaveRequest: Equatable {
    var path: RelativePath
    /// Permission bits for a new file.
    var mode: UInt16
    /// When the content was given.
    var modified: Timestamp

    init(path: RelativePath, mode: UInt16, modified: Timestamp) {
        self.path = path
        self.mode = mode
        self.modified = modified
    }

    /// Nil for bytes that are no wish.
    init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count == 3, let path = FilesinkiModel.bytes(hexadecimal: String(words[0])),
            let path = try? RelativePath(path), let mode = UInt16(words[1]),
            let modified = Int64(words[2])
        else { return nil }
        self.init(path: path, mode: mode, modified: Timestamp(nanoseconds: modified))
    }

    var bytes: [UInt8] {
        Array("\(hexadecimal(path.bytes)) \(mode) \(modified.nanoseconds)".utf8)
    }
}

/// What came of a save, as the process that did it tells the one that waits: in lines, each a kind and
/// its words, bytes in hexadecimal digits.
enum SaveResponse {
    case saved(SaveReport)
    case failed(Failure)

    /// Nil for bytes that are no answer.
    ///
    /// - Parameter saved: What the one that waits has saved.
    init?(_ bytes: [UInt8], saved: ContentID) {
        var report = SaveReport(sync: SyncReport(), entry: nil, version: 0, differs: false)
        var isWhole = false
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
                .map(String.init)
            switch words[0] {
            case "failure":
                guard let failure = Failure(words: words) else { return nil }
                self = .failed(failure)
                return
            case "away": report.sync.away = Failure(words: words)
            case "problem", "notice":
                guard let failure = Failure(words: words) else { return nil }
                let problem = Problem(RelativePath(unchecked: failure.path), failure)
                words[0] == "problem"
                    ? report.sync.problems.append(problem) : report.sync.notices.append(problem)
            case "copy":
                guard let path = words.last.flatMap({ FilesinkiModel.bytes(hexadecimal: $0) })
                else { return nil }
                report.sync.copies.append(RelativePath(unchecked: path))
            case "entry": report.entry = Entry(fileWords: words.dropFirst())
            case "saved":
                guard words.count == 4, let version = UInt64(words[1]) else { return nil }
                report.version = version
                report.sync.hasRemote = words[2] == "remote"
                report.sync.isQueued = words[3] == "queued"
                isWhole = true
            default: return nil
            }
        }
        guard isWhole else { return nil }
        report.differs = report.version != 0 && report.entry?.content != saved
        self = .saved(report)
    }

    var bytes: [UInt8] {
        switch self {
        case .failed(let failure): Array(failure.line("failure").utf8)
        case .saved(let report): Array(Self.lines(report).joined(separator: "\n").utf8)
        }
    }

    private static func lines(_ report: SaveReport) -> [String] {
        let sync = report.sync
        var lines = sync.problems.map { $0.line("problem") }
        lines += sync.notices.map { $0.line("notice") }
        lines += sync.copies.map { "copy \(hexadecimal($0.bytes))" }
        if let away = sync.away { lines.append(away.line("away")) }
        if let entry = report.entry { lines.append("entry " + entry.fileWords) }
        let remote = sync.hasRemote ? "remote" : "alone"
        lines.append("saved \(report.version) \(remote) \(sync.isQueued ? "queued" : "done")")
        return lines
    }
}

extension Problem {
    fileprivate func line(_ kind: String) -> String {
        var failure = failure
        failure.path = path.bytes
        return failure.line(kind)
    }
}

/// Files in the notes that processes leave each other, which are lines of words.
extension Entry {
    /// A file's content, size, mode and time. What else may be at a path is in no note.
    var fileWords: String { "\(content) \(size) \(mode) \(modified.nanoseconds)" }

    /// Nil for words that ``fileWords`` cannot have made.
    init?(fileWords words: some Collection<String>) {
        let words = Array(words)
        guard words.count == 4, let content = ContentID(hexadecimal: words[0]),
            let size = Int64(words[1]), let mode = UInt16(words[2]), let modified = Int64(words[3])
        else { return nil }
        self = .file(content, size: size, mode: mode, modified: Timestamp(nanoseconds: modified))
    }
}
