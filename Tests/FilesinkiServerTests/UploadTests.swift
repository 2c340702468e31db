import FilesinkiDirectory
import FilesinkiRemote
import FilesinkiServer
import FilesinkiTesting
import Glibc
import Testing

/// Uploads that are cut, and go on.
@Suite struct UploadTests {
    let id = String(repeating: "ab", count: 16)
    let bytes = noise(600_000)

    /// Sends a part of the bytes under the upload's name, and breaks the connection off.
    private func sendPart(_ server: TestServer, _ count: Int) async throws {
        let connection = try server.connect()
        await connection.send(
            TestServer.head(
                "PUT", "/v1/objects/other/a",
                ["Content-Digest": TestServer.digest(bytes), "Upload-Id": id], length: bytes.count))
        await connection.send(Array(bytes.prefix(count)))
        connection.endSending()
        // The server answers, or hangs up, once it knows that no more will come.
        _ = await connection.receiveAll()
    }

    /// How much of the upload the store has on its disk.
    private func size(ofUploadIn folder: TemporaryFolder) -> Int {
        let file = open(folder.path("store/.uploads/\(id)"), O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        return max(0, Int(lseek(file, 0, SEEK_END)))
    }

    @Test func `a cut upload stays invisible, and continues where it ended`() async throws {
        try await withServer { server in
            try await sendPart(server, 400_000)
            #expect(try await server.ask("GET", "/v1/objects/other/a").status == 404)
            #expect(try await server.direct.list(prefix: "", after: nil, limit: 9).isEmpty)
            let head = try await server.ask("HEAD", "/v1/uploads/\(id)")
            #expect(head.status == 200)
            let offset = try #require(head.fields["upload-offset"].flatMap(Int.init))
            #expect(offset == 400_000)
            let rest = Array(bytes[offset...])
            let reply = try await server.put(
                "other/a", rest,
                [
                    "Content-Digest": TestServer.digest(bytes), "Upload-Id": id,
                    "Upload-Offset": "\(offset)",
                ])
            #expect(reply.status == 201)
            #expect(try await server.ask("GET", "/v1/objects/other/a").body == bytes)
            #expect(try await server.ask("HEAD", "/v1/uploads/\(id)").status == 404)
        }
    }

    @Test func `a continuation at another offset is refused, and one from the beginning is not`()
        async throws
    {
        try await withServer { server in
            try await sendPart(server, 400_000)
            let fields = ["Content-Digest": TestServer.digest(bytes), "Upload-Id": id]
            let wrong = try await server.put(
                "other/a", [1], fields.merging(["Upload-Offset": "5"]) { $1 })
            #expect(wrong.status == 409)
            #expect(wrong.fields["upload-offset"] == "400000")
            let again = try await server.put("other/a", bytes, fields)
            #expect(again.status == 201)
        }
    }

    @Test func `a continuation with other bytes is refused, and the stored part is deleted`()
        async throws
    {
        try await withServer { server in
            try await sendPart(server, 400_000)
            let reply = try await server.put(
                "other/a", [UInt8](repeating: 0, count: 200_000),
                [
                    "Content-Digest": TestServer.digest(bytes), "Upload-Id": id,
                    "Upload-Offset": "400000",
                ])
            #expect(reply.status == 400)
            #expect(try await server.ask("HEAD", "/v1/uploads/\(id)").status == 404)
            #expect(try await server.ask("GET", "/v1/objects/other/a").status == 404)
        }
    }

    @Test func `the quota counts a part once, and not after it was deleted`() async throws {
        try await withServer {
            $0.quota = 1_000_000
            $0.limits.cleanupInterval = .seconds(3600)
        } _: { server in
            try await sendPart(server, 400_000)
            #expect(try await used(server) == "400000")
            let reply = try await server.put(
                "other/a", [UInt8](repeating: 0, count: 200_000),
                [
                    "Content-Digest": TestServer.digest(bytes), "Upload-Id": id,
                    "Upload-Offset": "400000",
                ])
            #expect(reply.status == 400)
            #expect(try await used(server) == "0")
        }
    }

    private func used(_ server: TestServer) async throws -> String? {
        let name = "filesinki_used_bytes "
        return try await server.ask("GET", "/metrics").text.split(separator: "\n")
            .first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) }
    }

    /// A server whose store is on a disk of 4 MB; nil without the permission to mount it.
    private func onSmallDisk(
        _ body: (TestServer, MemoryDisk) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        guard let disk = MemoryDisk(at: folder.path("store")) else { return }
        let server = try await TestServer(in: folder)
        do { try await body(server, disk) } catch {
            try? await server.server.stop()
            throw error
        }
        try await server.server.stop()
    }

    @Test func `an upload for which the disk has no space does not keep it full`() async throws {
        try await onSmallDisk { server, _ in
            let large = [UInt8](repeating: 1, count: 5 << 20)
            let reply = try await server.put("other/a", large, ["Upload-Id": id])
            #expect(reply.status == 507)
            #expect(reply.text.contains("\"code\":\"full\""))
            #expect(try await server.ask("HEAD", "/v1/uploads/\(id)").status == 404)
            #expect(try await server.put("other/b", Array(large.prefix(3 << 20))).status == 201)
        }
    }

    @Test func `without space, parts are deleted that nobody resumes any more`() async throws {
        try await onSmallDisk { server, _ in
            try await sendPart(server, 400_000)
            let large = [UInt8](repeating: 1, count: 5 << 20)
            #expect(try await server.put("other/b", large).status == 507)
            #expect(try await server.ask("HEAD", "/v1/uploads/\(id)").status == 200)
            let times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
            utimensat(AT_FDCWD, server.folder.path("store/.uploads/\(id)"), times, 0)
            #expect(try await server.put("other/b", large).status == 507)
            #expect(try await server.ask("HEAD", "/v1/uploads/\(id)").status == 404)
        }
    }

    @Test func `a disk that is read-only is named`() async throws {
        try await onSmallDisk { server, disk in
            try disk.makeReadOnly()
            let reply = try await server.put("other/a", [1])
            #expect(reply.status == 403)
            #expect(reply.text.contains("\"code\":\"closed\""))
        }
    }

    @Test func `a publication can be continued, too`() async throws {
        try await withServer { server in
            let connection = try server.connect()
            let fields = [
                "Content-Digest": TestServer.digest(bytes), "Upload-Id": id, "If-None-Match": "*",
            ]
            await connection.send(
                TestServer.head("PUT", "/v1/objects/zones/m/log/1/c", fields, length: bytes.count))
            await connection.send(Array(bytes.prefix(300_000)))
            connection.endSending()
            _ = await connection.receiveAll()
            let reply = try await server.put(
                "zones/m/log/1/c", Array(bytes[300_000...]),
                fields.merging(["Upload-Offset": "300000"]) { $1 })
            #expect(reply.status == 201)
            #expect(try await server.ask("GET", "/v1/objects/zones/m/log/1/c").body == bytes)
        }
    }

    @Test func `asking for an upload ends one that is still running`() async throws {
        try await withServer { server in
            let stuck = try server.connect()
            let fields = ["Content-Digest": TestServer.digest(bytes), "Upload-Id": id]
            await stuck.send(
                TestServer.head("PUT", "/v1/objects/other/a", fields, length: bytes.count))
            await stuck.send(Array(bytes.prefix(300_000)))
            // It has begun once some of it is there: asked before, it would end with nothing.
            while size(ofUploadIn: server.folder) == 0 { await Task.yield() }
            #expect(try await server.ask("HEAD", "/v1/uploads/\(id)").status == 200)
            await stuck.send(Array(bytes[300_000...]))
            let late = RawReply(await stuck.receiveAll())
            #expect(late?.status != 201)
            #expect(try await server.ask("GET", "/v1/objects/other/a").status == 404)
            let head = try await server.ask("HEAD", "/v1/uploads/\(id)")
            let offset = try #require(head.fields["upload-offset"].flatMap(Int.init))
            let reply = try await server.put(
                "other/a", Array(bytes[offset...]),
                fields.merging(["Upload-Offset": "\(offset)"]) { $1 })
            #expect(reply.status == 201)
            #expect(try await server.ask("GET", "/v1/objects/other/a").body == bytes)
        }
    }

    @Test func `an upload without a name leaves nothing when it is cut`() async throws {
        try await withServer { server in
            let connection = try server.connect()
            await connection.send(
                TestServer.head(
                    "PUT", "/v1/objects/other/a", ["Content-Digest": TestServer.digest(bytes)],
                    length: bytes.count))
            await connection.send(Array(bytes.prefix(500_000)))
            connection.endSending()
            _ = await connection.receiveAll()
            #expect(try await server.direct.usedBytes() == 0)
        }
    }

    @Test func `leftovers of a killed server are removed once they are old`() async throws {
        let folder = try TemporaryFolderWithUpload(id)
        let server = try await TestServer(in: folder.folder) { $0.limits.uploadAge = .zero }
        // The first round of tidying up is under way from the start.
        var status = 200
        for _ in 0..<10_000 where status != 404 {
            status = try await server.ask("HEAD", "/v1/uploads/\(id)").status
        }
        #expect(status == 404)
        try await server.server.stop()
    }
}

/// A store's folder with an abandoned upload.
private struct TemporaryFolderWithUpload {
    let folder: TemporaryFolder

    init(_ id: String) throws {
        folder = try TemporaryFolder(inMemory: true)
        for path in ["store", "store/.uploads"] { mkdir(folder.path(path), 0o700) }
        let file = open(folder.path("store/.uploads/\(id)"), O_WRONLY | O_CREAT, 0o600)
        write(file, "left", 4)
        close(file)
    }
}
