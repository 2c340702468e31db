import FilesinkiHTTP
import FilesinkiModel
package import FilesinkiRemote

extension S3Remote {
    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        if bytes.count > knobs.largestSinglePut {
            try await Multipart(self, key, bytes).run()
            return
        }
        let reply = try await connection.send(upload(bytes, key, [:]))
        guard reply.isSuccess else { throw await connection.failure(reply, key.description) }
        guard reply.fields["ETag"] != nil else {
            throw connection.strange(key.description, "it does not say what was stored")
        }
    }
}

extension S3Remote: CuttableRemote {
    package func putCut(_ bytes: [UInt8], to key: ObjectKey, after count: Int) async {
        var call = upload(bytes, key, [:])
        call.cutAfter = count
        _ = try? await connection.send(call)
    }
}
