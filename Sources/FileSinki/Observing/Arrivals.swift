import FilesinkiEngine
import FilesinkiModel

/// What was found at a path after it was brought here.
struct Arrival: Sendable {
    var path: RelativePath
    /// The file's bytes; nil when it was deleted.
    var content: [UInt8]?
}

/// Brings here what others change, and tells it once.
actor Arrivals {
    private let core: Core
    private let follower: Follower
    private let handler: Handler?
    /// What was told last of each path.
    private var told: [RelativePath: [UInt8]?] = [:]

    /// - Parameter handler: Resolves what was changed here, too; nil for what is registered.
    init(_ core: Core, _ scope: EventScope, _ handler: Handler?) {
        self.core = core
        self.handler = handler
        follower = Follower(core, scope)
        guard let handler else { return }
        for part in scope.parts {
            switch part {
            case .exactly(let path):
                core.resolutions.register(handler, at: path)
                told[path] = .some((try? core.files.read(path)) ?? nil)
            case .inside(let folder):
                core.resolutions.register(handler, inFolder: folder.bytes)
            }
        }
        if scope.parts.isEmpty { core.resolutions.register(handler, inFolder: []) }
    }

    func next() async throws -> Arrival {
        while true {
            let path = try await follower.next().path
            if let arrival = try await bring(path) { return arrival }
        }
    }

    nonisolated func look() { Task { await follower.look() } }

    /// Nil when there is nothing new to tell.
    private func bring(_ path: RelativePath) async throws -> Arrival? {
        let before: [UInt8]?
        let ran: Ran
        do {
            before = try core.files.read(path)
            ran = try await core.refresh(path, nil)
        } catch let failure as Failure {
            // One path that cannot be brought does not end the telling of the others.
            core.failed(FileSinkiError(failure, "\(path)"))
            return nil
        }
        if ran.report.away != nil { return nil }
        if let last = told[path], last == ran.content { return nil }
        if told[path] == nil, ran.content == nil, before == nil { return nil }
        told[path] = .some(ran.content)
        _ = core.see(ran.content, insteadOf: before, at: path)
        return Arrival(path: path, content: ran.content)
    }
}
