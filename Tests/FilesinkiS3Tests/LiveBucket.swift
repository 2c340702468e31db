import FilesinkiHTTP
import FilesinkiHTTPClient
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import FilesinkiTesting
import Glibc

@testable import FilesinkiS3

extension RealServer {
    /// Ceph with one of each, as `Scripts/servers/ceph.sh` sets it up.
    static let ceph = RealServer("Ceph", script: "ceph", ports: 3)
    /// OpenStack Swift with its S3 layer, which has to be refused.
    static let swift = RealServer("OpenStack Swift", script: "swift", ports: 5)
}

/// A bucket at a real service, made for the tests and shared by them: each takes a prefix of its own.
struct LiveBucket: Sendable {
    var address: S3Address
    var credentials: S3Credentials

    static let cephKey = S3Credentials(keyID: "filesinki", secretKey: Secret("open sesame"))
    static let swiftKey = S3Credentials(keyID: "test:tester", secretKey: Secret("testing"))

    /// The shared server's bucket with this name, made if it is not there.
    static func at(
        _ server: RealServer, _ credentials: S3Credentials, bucket: String, prefix: String = "",
        style: S3Address.Style = .path
    ) async throws -> LiveBucket {
        let endpoint = try WebAddress(
            try await server.sharedAddress(), schemes: ["http": false])
        let bucket = LiveBucket(
            address: S3Address(
                bucket: bucket, prefix: prefix, endpoint: endpoint, region: "us-east-1",
                style: style), credentials: credentials)
        let reply = try await bucket.remote().connection.send(.init(method: "PUT"))
        // 409 says that it is ours already.
        guard reply.isSuccess || reply.status == 409 else {
            throw Failure(.away, S3Error(reply).code, remedy: "\(reply.status)")
        }
        return bucket
    }

    /// One more way to it, by connections of its own.
    func remote(_ settings: S3Remote.UploadSettings = .init()) throws -> S3Remote {
        S3Remote(
            address: address,
            transport: try HTTPConnections(
                ConnectionSettings(connections: 32, connectLimit: .seconds(600))),
            credentials: credentials, systemContext: .ofMachine, settings: settings)
    }

    /// The same bucket with another prefix.
    func below(_ prefix: String) -> LiveBucket {
        var result = self
        result.address.prefix = prefix
        return result
    }

    /// Turns the keeping of versions on, or off for new objects.
    func setVersioning(_ status: String) async throws {
        let body = "<VersioningConfiguration><Status>\(status)</Status></VersioningConfiguration>"
        let reply = try await remote().connection.send(
            .init(method: "PUT", query: [("versioning", "")], body: Array(body.utf8)))
        guard reply.isSuccess else {
            throw Failure(.away, S3Error(reply).code, remedy: "\(reply.status)")
        }
    }
}
