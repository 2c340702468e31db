import FilesinkiHashing
import FilesinkiModel
import FilesinkiStore

extension ContentSource {
    /// Reads the contents of a block or of commits.
    ///
    /// - Parameters:
    ///   - job: None of a single content: that is streamed.
    ///   - body: Receives each content of the job once: its bytes, compared with its identity, or
    ///     what is wrong with it.
    func read(
        _ job: ContentJob,
        _ body: (ContentID, Result<UnsafeRawBufferPointer, any Error>) throws -> Void
    ) async throws {
        switch job {
        case .block(let shipment, let position, let members):
            try await read(shipment, position, members, body)
        case .commits(let commits): try await read(commits, body)
        case .single: return
        }
    }

    private func read(
        _ shipment: BlockBatchRead, _ position: Int, _ members: [ContentJob.Member],
        _ body: (ContentID, Result<UnsafeRawBufferPointer, any Error>) throws -> Void
    ) async throws {
        let block: [UInt8]
        do {
            block = try await shipment.read(position)
        } catch {
            for member in members { try await readCopy(of: member, insteadOf: error, body) }
            return
        }
        for member in members {
            let error: (any Error)? = try block.withUnsafeBytes { bytes in
                let piece = UnsafeRawBufferPointer(rebasing: bytes[member.place.range])
                if let error = Self.damage(piece, member.content) { return error }
                try body(member.content, .success(piece))
                return nil
            }
            if let error { try await readCopy(of: member, insteadOf: error, body) }
        }
    }

    /// Reads a content whose copy in one pack is damaged from another pack.
    private func readCopy(
        of member: ContentJob.Member, insteadOf error: any Error,
        _ body: (ContentID, Result<UnsafeRawBufferPointer, any Error>) throws -> Void
    ) async throws {
        let content = member.content
        guard (error as? Failure)?.code == .corrupt else {
            return try body(content, .failure(error))
        }
        let bytes: [UInt8]
        do {
            bytes = try await packs.locator().read(content, size: Int64(member.place.range.count))
        } catch {
            return try body(content, .failure(error))
        }
        try bytes.withUnsafeBytes { try body(content, .success($0)) }
    }

    private func read(
        _ commits: [UInt64: [ContentID]],
        _ body: (ContentID, Result<UnsafeRawBufferPointer, any Error>) throws -> Void
    ) async throws {
        var left = commits
        do {
            try await log.read(commits.keys.sorted()) { sequence, result in
                for content in left.removeValue(forKey: sequence) ?? [] {
                    switch result {
                    case .failure(let failure): try body(content, .failure(failure))
                    case .success(let commit):
                        guard let bytes = commit?.inlineContent(content) else {
                            try body(content, .failure(Self.missing(content, sequence)))
                            continue
                        }
                        try bytes.withUnsafeBytes { try body(content, .success($0)) }
                    }
                }
            }
        } catch {
            // What was not reached.
            for content in left.values.flatMap(\.self) { try body(content, .failure(error)) }
        }
    }

    private static func damage(
        _ bytes: UnsafeRawBufferPointer, _ content: ContentID
    ) -> Failure? {
        if ContentHasher.hash(bytes) == content { return nil }
        return Failure(
            .corrupt, path: content.description,
            "The store's bytes for it do not match its hash.",
            remedy: "Run filesinki repair on a device that still has the file."
        )
        .forOtherDevice
    }
}
