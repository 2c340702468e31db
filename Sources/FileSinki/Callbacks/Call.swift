import FilesinkiEngine
import FilesinkiModel
import FoundationEssentials

/// One of the calls with closures, without its types.
struct Call {
    private let sink: FileSinki
    private let path: RelativePath
    private let form: FileForm
    private let handler: Handler

    /// - Throws: Code `bad-path` for what lies outside of the root.
    init(_ text: String, _ root: FileSinki.Root, _ form: FileForm, _ handler: Handler) throws {
        sink = try Shared.current.sink(root)
        path = try sink.core.path(form.name(text))
        self.form = form
        self.handler = handler
    }

    private var core: Core { sink.core }

    /// - Parameter final: Called with the file's bytes when they are others in the end.
    func save(_ content: [UInt8], _ final: @escaping @Sendable ([UInt8]) -> Void) throws -> Data {
        let file = try form.encode(content)
        let late = try core.write(file, to: path)
        var job = Job(kind: .save, handler: handler, late: late)
        job.done = [
            { [core, path] ran in
                guard let found = ran.content, found != file else { return }
                Shared.current.tell {
                    if core.see(found, insteadOf: file, at: path) { final(found) }
                }
            }
        ]
        core.submit(job, path)
        return Data(content)
    }

    /// - Parameter loaded: Called with the file's bytes, and whether they come from the remote.
    func load(_ loaded: @escaping @Sendable ([UInt8]?, Bool) -> Void) throws {
        let file = try core.files.read(path)
        core.see(file, at: path)
        Shared.current.tell { loaded(file, false) }
        Shared.current.begin()
        Task { [sink, path, handler] in
            await Self.look(sink, path, handler, file, loaded)
            Shared.current.end()
        }
    }

    private static func look(
        _ sink: FileSinki, _ path: RelativePath, _ handler: Handler, _ file: [UInt8]?,
        _ loaded: @escaping @Sendable ([UInt8]?, Bool) -> Void
    ) async {
        let core = sink.core
        let tell: @Sendable (Ran) -> Void = { ran in
            guard ran.content != file else { return }
            Shared.current.tell {
                if core.see(ran.content, insteadOf: file, at: path) { loaded(ran.content, true) }
            }
        }
        do {
            let ran = try await core.refresh(path, handler)
            guard ran.report.away != nil else { return tell(ran) }
            if ran.content != nil {
                core.submit(Job(kind: .save, handler: handler, done: [tell]), path)
            }
        } catch {
            core.failed(FileSinkiError(error, "\(path)"))
        }
    }

    func delete() throws {
        _ = try core.remove(path)
        core.submit(Job(kind: .delete, handler: .rules), path)
    }
}
