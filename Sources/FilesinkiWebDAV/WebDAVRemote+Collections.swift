import FilesinkiHTTP
import FilesinkiModel

extension WebDAVRemote {
    /// What came of making a collection.
    enum Making {
        case made
        case wasThere
        /// The collection around it seems to be missing.
        case orphaned(HTTPReply)
        case refused(HTTPReply)

        var isThere: Bool {
            switch self {
            case .made, .wasThere: true
            case .orphaned, .refused: false
            }
        }
    }

    /// Makes a collection, and those above it that are missing.
    ///
    /// - Returns: Never that it is orphaned.
    func make(_ collection: WebDAVPath) async throws -> Making {
        var missing: [WebDAVPath] = []
        var next = collection
        var result = try await makeOne(next)
        while case .orphaned(let reply) = result {
            guard let parent = next.parent, parent.text != "/" else { return .refused(reply) }
            missing.append(next)
            next = parent
            result = try await makeOne(next)
        }
        while result.isThere, let next = missing.popLast() {
            result = try await makeOne(next)
            // Whoever prunes the store may have been faster.
            if case .orphaned(let reply) = result { return .refused(reply) }
        }
        return result
    }

    private func makeOne(_ collection: WebDAVPath) async throws -> Making {
        let reply = try await server.send("MKCOL", collection)
        if reply.isSuccess || reply.status == 405 {
            server.remember(collection)
            return reply.isSuccess ? .made : .wasThere
        }
        let isTop = collection.parent == nil || collection.parent?.text == "/"
        if reply.isOfMissingParent, !isTop { return .orphaned(reply) }
        // Apache answers 403 to one of two who make it at once.
        guard try await server.properties(collection)?.own.isCollection == true else {
            return .refused(reply)
        }
        server.remember(collection)
        return .wasThere
    }
}
