import FilesinkiEngine
import FilesinkiMerge
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiSystem
import Glibc

/// `resolve --tool`: a person merges the versions in a program.
extension ResolveCommand {
    /// Merges one conflict after the other. The replica is not locked while a program runs.
    ///
    /// - Returns: 3 if one stays open.
    func merge(
        _ paths: [String], with tool: String, in console: Console
    ) async throws -> ExitCode {
        let tool = try MergeTool(tool, console.environment)
        let session = try await Session.open(replica, writable: false, in: console)
        let open = try await session.openConflictsWithBases()
        let targets = try targets(paths, open, session)
        if let several = targets.first(where: { $0.conflicts.count > 1 }) {
            throw open.several(several.conflicts, isTaking: false)
        }
        var code = ExitCode.done
        for target in targets {
            let conflict = try target.conflicts.first ?? open.one(target.path)
            var refused: MergeToolFiles?
            let one = try await merge(conflict, with: tool, session, after: &refused)
            if one != .done { code = one }
        }
        if targets.isEmpty { console.say("No open conflict was found.") }
        return code
    }

    /// Merges one conflict.
    ///
    /// - Parameter refused: The files whose text was not taken last, with which an editor goes on; nil for none. They stay where
    ///   the next text is not taken either.
    /// - Returns: 3 if it stays open.
    func merge(
        _ conflict: OpenConflict, with tool: MergeTool, _ session: Session,
        after refused: inout MergeToolFiles?
    ) async throws -> ExitCode {
        let (console, path) = (session.console, conflict.path)
        try conflict.requireSent(console.hints, by: true)
        try conflict.requireSentCopy(console.hints)
        let versions = try await session.versions(of: conflict)
        if tool.isEditor, versions.marked == nil {
            try console.show([Problem(path, .isNoText)], type: "notice")
            return .conflict
        }
        let parent = console.environment["TMPDIR"] ?? "/tmp"
        let refusedText = tool.isEditor ? try refused?.readMerged() : nil
        let files = try MergeToolFiles(
            in: parent, for: path, base: versions.base, local: versions.local,
            remote: versions.remote, merged: refusedText ?? versions.start)
        if refusedText != nil {
            refused?.remove()
            refused = nil
        }
        // With --json standard output is for the result.
        let output = report.json ? STDERR_FILENO : STDOUT_FILENO
        let merged: [UInt8]?
        do {
            try console.output.flush()
            let exit = try await tool.run(files, console.environment, output: output)
            // After an error nobody vouches for what is there.
            let left = exit == 0 ? try files.readMerged() : nil
            merged = tool.result(exit, left, startedFrom: versions.start)
            if merged == nil {
                let stays = tool.conflictStays(exit, leaving: left, isAsked: isInteractive)
                try console.show([Problem(path, stays)], type: "notice")
            }
        } catch {
            files.remove()
            throw error
        }
        guard let merged else {
            files.remove()
            return .conflict
        }
        if !tool.trustsExitCode,
            let failure = try await doubt(about: merged, files.merged, conflict, session)
        {
            try console.show([Problem(path, failure)], type: "notice")
            refused = files
            return .conflict
        }
        let code = try await resolve(conflict, merged, files, session)
        files.remove()
        return code
    }

    /// Why what a program left is not taken: markers, or no document of the file's format; nil if it is.
    private func doubt(
        about merged: [UInt8], _ file: String, _ conflict: OpenConflict, _ session: Session
    ) async throws -> Failure? {
        if let line = try await session.markerLine(in: merged, of: conflict) {
            return .hasMarkers(line, file)
        }
        return try await session.formatProblem(of: merged, for: conflict)
            .map { Failure.isUnread($0, file) }
    }

    private func resolve(
        _ conflict: OpenConflict, _ merged: [UInt8], _ files: MergeToolFiles, _ session: Session
    ) async throws -> ExitCode {
        let path = conflict.path
        // The files stay: they have a person's work.
        let place = "The merged content is in \(printable(files.merged.utf8))"
        return try await changing(in: session.console) { opened in
            guard let present = try await opened.present(conflict), present.isSame(as: conflict)
            else {
                throw Failure(
                    .changing, path: path.bytes, "The conflict changed while the tool ran.",
                    remedy: "\(place); see filesinki conflicts, and resolve it with --with.")
            }
            let ended: SyncReport
            do {
                ended = try await opened.replica.resolve(
                    path, .bytes(merged), of: .copy(conflict.copy), SyncOptions())
            } catch var failure as Failure where failure.code == .changing {
                failure.remedy += " \(place)."
                throw failure
            }
            let result = try await opened.retryUntilPublished(
                ended, of: [path], publishWait, replica.waiting)
            let code = ExitCode(queueing: result, isWaiting: publishWait.wait)
            try session.console.show(result, exit: code)
            try await opened.sayResolved([ResolveTarget(path: path, conflicts: [conflict])])
            return code
        }
    }
}

extension Failure {
    /// A merge tool left conflict markers; the file stays, as it has a person's work.
    fileprivate static func hasMarkers(_ line: Int, _ file: String) -> Failure {
        Failure(
            .declined,
            "The conflict stays open: there are markers left, the first in line \(line).",
            remedy: "The text is in \(printable(file.utf8)): remove them, and resolve it with "
                + "--with.")
    }

    /// What a merge tool left is no document of the file's format; the file stays, too.
    fileprivate static func isUnread(_ problem: String, _ file: String) -> Failure {
        Failure(
            .declined, "The conflict stays open. \(problem)",
            remedy:
                "It is in \(printable(file.utf8)): correct it, and resolve it with --with; to take "
                + "it as it is, add --unchecked.")
    }

    /// Why no editor is run: it would get the raw bytes of one version, and may change them when it saves.
    fileprivate static var isNoText: Failure {
        Failure(
            .declined,
            "The conflict stays open: the contents are not text; conflict markers cannot be written.",
            remedy: "Take a side with its key.")
    }
}

extension MergeTool {
    /// The merged content; nil if the conflict stays open.
    ///
    /// - Parameters:
    ///   - exit: The exit code of the tool.
    ///   - left: What it has left; nil if it has removed the file.
    ///   - start: What the merged file was. That all of it was removed is hardly meant.
    fileprivate func result(
        _ exit: Int32, _ left: [UInt8]?, startedFrom start: [UInt8]
    ) -> [UInt8]? {
        guard exit == 0, let left else { return nil }
        return trustsExitCode || left != start && !left.isEmpty ? left : nil
    }

    /// It did not resolve a conflict.
    ///
    /// - Parameters:
    ///   - exit: Its exit code.
    ///   - left: What it has left; nil if it has removed the file.
    ///   - isAsked: Whether a person is asked at the terminal what to do with the conflict, so that no option is needed.
    fileprivate func conflictStays(
        _ exit: Int32, leaving left: [UInt8]?, isAsked: Bool
    ) -> Failure {
        let side = isAsked ? "take a side with its key" : "choose a side with --take"
        let program = isEditor ? "the editor \(printable(name.utf8))" : "the merge tool"
        // What a shell ends with if there is no such program.
        if exit == 127 {
            return Failure(
                .declined,
                "The conflict stays open: \(isEditor ? program : "the program of \(program)") was not found.",
                remedy: isEditor
                    ? "Set $VISUAL or $EDITOR to one that is installed, or \(side)."
                    : "Install it, name another one, or \(side).")
        }
        let what = isEditor ? "the text" : "$MERGED"
        let done = left.map { $0.isEmpty ? "left nothing in \(what)" : "left \(what) as it was" }
        let why = exit == 0 ? done ?? "removed \(what)" : "ended with \(exit)"
        let empty =
            exit == 0 && left?.isEmpty == true
            ? " To have an empty file, give one with --with." : ""
        return Failure(
            .declined, "The conflict stays open: \(program) \(why).",
            remedy: "Run it again, or \(side).\(empty)")
    }
}
