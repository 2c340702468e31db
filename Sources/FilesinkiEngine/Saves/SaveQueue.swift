import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem

/// The saves that wait while another process holds the replica.
///
/// A process that cannot lock the replica enqueues its save. The process that holds the lock drains
/// the queue after its own save: all waiting saves become one run and one commit, so a hundred
/// concurrent saves cost little more than a few. The entries are folders in ``StateFolder/saves``;
/// see ``FilesinkiFileSystem/QueuedRequest``.
struct SaveQueue: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    // MARK: The waiting process

    /// Enqueues a save and waits until another process has done it, or the replica is free; then
    /// this process does the save itself. Polls every 2 to 20 ms.
    ///
    /// - Throws: Code `busy` if the save is not claimed within ``ReplicaOptions/lockWait``, and
    ///   what the save throws.
    func enqueue(
        _ path: RelativePath, _ options: SaveOptions,
        content write: @Sendable ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) async throws -> SaveReport {
        let name = hexadecimal(systemContext.randomBytes(8))
        let entry = try QueuedRequest.create(in: state.saves, name: name)
        let saved = try entry.writeContent(write)
        let request = SaveRequest(path: path, mode: options.mode, modified: systemContext.now())
        try entry.submit(request.bytes)
        var waited = Duration.zero
        var backoff = Backoff(.milliseconds(2)...(.milliseconds(20)))
        while true {
            if let report = try Self.report(from: entry, saved) { return report }
            if let free = try await ReplicaContext.openIfFree(self.options) {
                return try await SaveQueue(free).save(entry, saved, path, options)
            }
            if waited >= self.options.lockWait, entry.withdraw() {
                throw Failure(
                    .busy, path: state.lock, "Another run is using this replica.",
                    remedy: "Wait for it to end, or stop it, which releases the lock.")
            }
            let pause = backoff.next()
            try await systemContext.sleep(pause)
            waited += pause
        }
    }

    /// Returns the report in the entry's response; nil if there is no valid response.
    private static func report(
        from entry: QueuedRequest, _ saved: ContentID
    ) throws -> SaveReport? {
        guard let bytes = try entry.response() else { return nil }
        switch SaveResponse(bytes, saved: saved) {
        case .saved(let report): return report
        case .failed(let failure): throw failure
        case nil: return nil
        }
    }

    /// Does the waiting process's own save, and all others that wait, now that it holds the
    /// replica.
    private func save(
        _ entry: QueuedRequest, _ saved: ContentID, _ path: RelativePath, _ options: SaveOptions
    ) async throws -> SaveReport {
        defer { replica.close() }
        // The save may be done already. One that a killed process has claimed starts again.
        if let report = try Self.report(from: entry, saved) { return report }
        _ = entry.withdraw()
        return try await Saves(replica).save(path, options) { try entry.readContent($0) }
    }

    // MARK: The process that holds the replica

    /// Does the saves that other processes wait for, in one run.
    ///
    /// Failures go to the waiting processes, not to the caller, whose own save is done.
    func drain() async {
        var saves = claimSaves()
        guard !saves.isEmpty else { return }
        var placed: [ClaimedSave] = []
        do {
            let plan = try await sync.planOfWithheld(
                at: saves.map(\.request.path), SyncOptions())
            saves.removeAll { save in
                let path = save.request.path
                guard let plan, path.isAtOrInside(plan.withheldHere) else { return false }
                save.refuse(plan.refusal(ofWithheld: path))
                return true
            }
            guard !saves.isEmpty else { return }
            try await Saves(replica).keepEdits(at: saves.map(\.request.path), SyncOptions())
            placed = try place(saves)
            guard !placed.isEmpty else { return }
            let paths = placed.map(\.request.path)
            let report = try await sync.syncPaths(paths, SyncOptions(), saved: Set(paths))
            for save in placed {
                do {
                    try Saves(replica).requireSent(save.request.path, report, SyncOptions())
                    try save.entry.respond(response(to: save.request, from: report).bytes)
                } catch let failure as Failure where failure.code == .usage {
                    save.refuse(failure)
                }
            }
            // No response contains the copies that a killed run left at other paths.
            try sync.keepUnreported(report.copies.filter { !$0.isCopy(ofOneOf: paths) })
        } catch {
            let failure = error as? Failure
            guard placed.isEmpty else {
                // What is in place here is kept, whatever became of the run.
                for save in placed {
                    save.refuse(
                        (failure ?? .interrupted).saying("Saved here", at: save.request.path))
                }
                return
            }
            for save in saves { save.refuse(failure ?? .interruptedSave) }
        }
    }

    private func claimSaves() -> [ClaimedSave] {
        var paths: Set<RelativePath> = []
        // Each content of one path becomes a version of its own, so a second save of a path waits.
        let entries = AcceptedRequest.acceptAll(in: state.saves) { bytes in
            guard let request = SaveRequest(bytes) else { return false }
            return paths.insert(request.path).inserted
        }
        return entries.compactMap { entry in
            SaveRequest(entry.request).map { ClaimedSave(entry: entry, request: $0) }
        }
    }

    /// Installs the contents at their paths. A save that fails is refused and left out of the
    /// result.
    private func place(_ saves: [ClaimedSave]) throws -> [ClaimedSave] {
        let staging = try Staging(root: root, folder: state.staging)
        let writer = TreeWriter(root: root, staging: staging, sync: .batch)
        var staged: [(ClaimedSave, StagedFile)] = []
        var ignored = IgnoredPaths(
            root: root, filter: try rulesReader.runRules(SyncOptions()).filter)
        for save in saves {
            do throws(Failure) {
                if let refusal = ignored.refusal(of: save.request.path, isDirectory: false) {
                    throw refusal
                }
                try rulesReader.requireHeld([save.request.path])
                let file = try staging.adopt(save.entry.content)
                let mode = try root.modeToKeep(at: save.request.path) ?? save.request.mode
                try file.finish(mode: mode, modified: save.request.modified, sync: false)
                staged.append((save, file))
            } catch { save.refuse(error) }
        }
        try writer.flush()
        var placed: [ClaimedSave] = []
        for (save, file) in staged {
            do throws(Failure) {
                try writer.makeFolders(above: save.request.path)
                _ = try writer.install(file, at: save.request.path, expecting: .any)
                placed.append(save)
            } catch { save.refuse(error) }
        }
        try writer.flush()
        return placed
    }

    /// Returns the part of a run's report that concerns one save.
    private func response(
        to request: SaveRequest, from report: SyncReport
    ) throws -> SaveResponse {
        let path = request.path
        var own = SyncReport()
        own.problems = report.problems.filter { $0.path == path }
        own.notices = report.notices.filter { $0.path == path }
        own.copies = report.copies.filter { $0.isCopy(ofOneOf: [path]) }
        own.away = report.away
        own.hasRemote = report.hasRemote
        own.isQueued = report.isQueued
        return .saved(try Saves(replica).report(own, of: path, saved: nil))
    }
}

/// What a waiting process asks for, besides the content: `path mode modified`, in one line.
struct SaveRequest: Equatable {
    var path: RelativePath
    /// Permission bits for a new file.
    var mode: UInt16
    /// When the save was requested.
    var modified: Timestamp

    init(path: RelativePath, mode: UInt16, modified: Timestamp) {
        self.path = path
        self.mode = mode
        self.modified = modified
    }

    /// Nil for malformed bytes.
    init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count == 3, let path = RelativePath(noteWord: words[0]),
            let mode = UInt16(words[1]),
            let modified = Int64(words[2])
        else { return nil }
        self.init(path: path, mode: mode, modified: Timestamp(nanoseconds: modified))
    }

    var bytes: [UInt8] {
        Array("\(hexadecimal(path.bytes)) \(mode) \(modified.nanoseconds)".utf8)
    }
}

/// The result of a save, for the waiting process: lines of a kind and its words, byte strings in
/// hexadecimal.
enum SaveResponse {
    case saved(SaveReport)
    case failed(Failure)

    /// Nil for malformed bytes.
    ///
    /// - Parameter saved: The id of the content that the waiting process saves.
    init?(_ bytes: [UInt8], saved: ContentID) {
        var sync = SyncReport()
        var entry: Entry?
        var version: UInt64?
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
                .map(String.init)
            switch words[0] {
            case "failure":
                guard let failure = Failure(words: words) else { return nil }
                self = .failed(failure)
                return
            case "away": sync.away = Failure(words: words)
            case "problem", "notice":
                guard let failure = Failure(words: words) else { return nil }
                let problem = Problem(RelativePath(unchecked: failure.path), failure)
                words[0] == "problem"
                    ? sync.problems.append(problem) : sync.notices.append(problem)
            case "copy":
                guard let path = words.last.flatMap({ FilesinkiModel.bytes(hexadecimal: $0) })
                else { return nil }
                sync.copies.append(RelativePath(unchecked: path))
            case "entry": entry = Entry(fileWords: words.dropFirst())
            case "saved":
                guard words.count == 4, let number = UInt64(words[1]) else { return nil }
                version = number
                sync.hasRemote = words[2] == "remote"
                sync.isQueued = words[3] == "queued"
            default: return nil
            }
        }
        guard let version else { return nil }
        self = .saved(SaveReport(sync: sync, entry: entry, version: version, saved: saved))
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

/// A save that another process waits for.
private struct ClaimedSave {
    var entry: AcceptedRequest
    var request: SaveRequest

    /// Responds with a failure. If the response cannot be written, the waiting process does the
    /// save itself once the replica is free.
    func refuse(_ failure: Failure) {
        try? entry.respond(SaveResponse.failed(failure).bytes)
    }
}

extension RelativePath {
    /// Whether the name is that of a conflict copy of one of the paths.
    fileprivate func isCopy(ofOneOf paths: [RelativePath]) -> Bool {
        conflictOriginal(of: self).map { paths.contains($0.path) } ?? false
    }
}

extension Failure {
    fileprivate static let interrupted = Failure(
        .interrupted, "The process that did this save was stopped.", remedy: "")

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

extension Problem {
    fileprivate func line(_ kind: String) -> String {
        var failure = failure
        failure.path = path.bytes
        return failure.line(kind)
    }
}

/// Files as words, for the small text files that processes share.
extension Entry {
    /// The content, size, mode and time: all of a file. Who writes other kinds of entries adds what is missing.
    var fileWords: String { "\(content) \(size) \(mode) \(modified.nanoseconds)" }

    /// Parses ``fileWords``; nil for malformed words.
    init?(fileWords words: some Collection<String>) {
        let words = Array(words)
        guard words.count == 4, let content = ContentID(hexadecimal: words[0]),
            let size = Int64(words[1]), let mode = UInt16(words[2]), let modified = Int64(words[3])
        else { return nil }
        self = .file(content, size: size, mode: mode, modified: Timestamp(nanoseconds: modified))
    }
}
