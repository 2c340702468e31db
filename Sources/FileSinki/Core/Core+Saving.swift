import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile

/// What a save came to, in bytes.
struct Saved: Sendable {
    var file: [UInt8]
    var wasLate: Bool
    var path: RelativePath
    var ran: Ran

    /// - Parameter value: Makes a value of the file's bytes.
    func outcome<Item>(_ value: ([UInt8]) throws -> Item) throws -> SaveOutcome<Item> {
        if ran.report.away != nil { return .queued }
        guard let content = ran.content, content != file else {
            return ran.report.hasRemote ? .uploaded : .stored
        }
        let item = try value(content)
        let copy = ran.report.copies.first.map { String(decoding: $0.bytes, as: UTF8.self) }
        if let copy { return .keptBoth(item, copy: copy) }
        return isMerged ? .merged(item) : .kept(item)
    }

    private var isMerged: Bool {
        wasLate
            || ran.report.steps.contains { step in
                if case .merged = step.reason { return step.path == path }
                return false
            }
    }
}

extension FileForm {
    init(isCompressed: Bool) { self = isCompressed ? .compressed : .plain }

    /// - Throws: Code `coding` when the file is not of this form.
    func content(of file: [UInt8], _ path: String) throws(FileSinkiError) -> [UInt8] {
        guard let content = decode(file) else {
            throw FileSinkiError(
                .coding, path: path, message: "The file is not compressed as it should be.",
                remedy: "Load it as it is, and save it anew.")
        }
        return content
    }
}

extension Core {
    /// Saves a content, and publishes it if that can be done now.
    func save(
        _ content: [UInt8], to text: String, _ form: FileForm, _ handler: Handler
    ) async throws -> Saved {
        let path = try path(form.name(text))
        let file = try form.encode(content)
        let late = try write(file, to: path)
        let ran: Ran
        do {
            ran = try await publish(path, handler, late)
        } catch {
            // Busy or cancelled: it is here, and is not forgotten.
            submitIfPassing(error, Job(kind: .save, handler: handler, late: late), path)
            throw error
        }
        if ran.report.away != nil {
            submit(Job(kind: .save, handler: handler), path)
        } else {
            _ = see(ran.content, insteadOf: file, at: path)
        }
        return Saved(file: file, wasLate: late != nil, path: path, ran: ran)
    }

    /// The file's bytes after a look at the remote; nil when it is known to be absent.
    func load(_ text: String, _ form: FileForm, _ handler: Handler) async throws -> [UInt8]? {
        let path = try path(form.name(text))
        let ran = try await refresh(path, handler)
        if let away = ran.report.away {
            guard ran.content != nil else { throw away }
            submitWaiting(path, handler)
        }
        see(ran.content, at: path)
        return ran.content
    }

    /// Deletes a file, and publishes that if it can be done now.
    func delete(_ path: RelativePath) async throws -> DeleteOutcome {
        let wasHere = try remove(path)
        let ran = try await publishDeletion(path)
        if ran.report.away != nil {
            submit(Job(kind: .delete, handler: .rules), path)
            return .queued
        }
        let wasThere = ran.report.steps.contains { $0.path == path && $0.action.writesTheirs }
        guard wasHere || wasThere else { return .absent }
        return ran.report.hasRemote ? .deleted : .removed
    }

    /// Publishes what is here and could not be published while it was loaded.
    func submitWaiting(_ path: RelativePath, _ handler: Handler) {
        guard (try? files.read(path)) != nil else { return }
        submit(Job(kind: .save, handler: handler), path)
    }

    private func submitIfPassing(_ error: any Error, _ job: Job, _ path: RelativePath) {
        let code = (error as? Failure)?.code
        guard code == .busy || code == .away || error is CancellationError else { return }
        submit(job, path)
    }
}

extension Handler {
    /// For what needs no word of the program's.
    static let rules = Handler { _, reply in reply.give(.declined("Nobody is asked.")) }
}
