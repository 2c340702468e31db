import FilesinkiHTTP
import FilesinkiHTTPClient
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiS3

/// The remote on a real engine. `Scripts/servers/ceph.sh check` says what it needs.
@Suite(.enabled(if: RealServer.ceph.isInstalled, "Ceph's radosgw is not installed"))
struct CephTests {
    func bucket(_ prefix: String) async throws -> LiveBucket {
        try await LiveBucket.at(
            .ceph, LiveBucket.cephKey, bucket: "filesinki", prefix: prefix)
    }

    @Test("honours the remote contract", arguments: RemoteContract.all)
    func contract(_ contract: RemoteContract) async throws {
        let name = contract.description.filter { $0.isASCII && $0.isLetter }
        // A prefix of signs that have to be encoded, and decoded again.
        let bucket = try await bucket("ünd+50% off/\(name)")
        try await contract.check(bucket.remote(), bucket.remote(), bucket.remote())
    }

    @Test func `is fit, by the probe`() async throws {
        let bucket = try await bucket("probe")
        let report = try await SlotProbe(systemContext: .ofMachine) { try bucket.remote() }
            .testRemote()
        #expect(report.isFit, "\(report)")
        #expect(report.checks.first?.name == "unversioned")
        #expect(try await bucket.remote().list(prefix: "", after: nil, limit: 9).isEmpty)
    }

    @Test func `a bucket with versioning is refused before anything is written`() async throws {
        let bucket = try await LiveBucket.at(.ceph, LiveBucket.cephKey, bucket: "versioned")
        try await bucket.setVersioning("Enabled")
        let report = try await SlotProbe(systemContext: .ofMachine) { try bucket.remote() }
            .testRemote()
        #expect(report.checks.map(\.name) == ["unversioned"])
        #expect(!report.isFit)
        #expect(report.checks.first?.detail.contains("versioned") == true)
        #expect(try await bucket.remote().list(prefix: "", after: nil, limit: 9).isEmpty)
    }

    @Test func `the race alone refuses a bucket with versioning, too`() async throws {
        let bucket = try await LiveBucket.at(.ceph, LiveBucket.cephKey, bucket: "versioned-raced")
        try await bucket.setVersioning("Enabled")
        let report = try await SlotProbe(systemContext: .ofMachine) {
            MuteRemote(try bucket.remote())
        }.testRemote()
        let race = report.checks.first { $0.name == "one-winner" }
        #expect(race?.holds == false, "\(report)")
    }

    @Test func `a large object is sent and read in parts`() async throws {
        let bucket = try await bucket("parts")
        var settings = S3Remote.UploadSettings()
        settings.largestSinglePut = 6 << 20
        settings.partSize = 5 << 20
        let remote = try bucket.remote(settings)
        let content = noise((12 << 20) + 1)
        let key = try ObjectKey("packs/00/large")
        for _ in 0..<2 { try await remote.put(content, to: key) }
        #expect(try await remote.get(key, range: nil) == content)
        let seam = Int64(5 << 20)
        let middle = try await remote.get(key, range: seam - 3..<seam + 3)
        #expect(middle == Array(content[Int(seam) - 3..<Int(seam) + 3]))
        let left = try await remote.connection.send(.init(method: "GET", query: [("uploads", "")]))
        #expect(left.isSuccess && !String(decoding: left.body, as: UTF8.self).contains("<Upload>"))
    }

    @Test func `a missing bucket is a failure, and nothing in it is absent`() async throws {
        var bucket = try await bucket("")
        bucket.address.bucket = "nobody-made-this"
        let remote = try bucket.remote()
        let key = try ObjectKey("packs/00/a")
        let read = await #expect(throws: Failure.self) {
            _ = try await remote.get(key, range: nil)
        }
        #expect(read?.code == .notFound)
        #expect(read?.remedy.contains("bucket") == true)
        let written = await #expect(throws: Failure.self) {
            _ = try await remote.publish([1], to: key)
        }
        #expect(written?.code == .notFound)
        let listed = await #expect(throws: Failure.self) {
            _ = try await remote.list(prefix: "", after: nil, limit: 1)
        }
        #expect(listed?.code == .notFound)
    }

    @Test(
        "a wrong key is reported as such",
        arguments: [("filesinki", "wrong"), ("stranger", "open sesame")])
    func strangers(_ keyID: String, _ secret: String) async throws {
        var bucket = try await bucket("")
        bucket.credentials = S3Credentials(keyID: keyID, secretKey: Secret(secret))
        let remote = try bucket.remote()
        let key = try ObjectKey("packs/00/a")
        let failure = await #expect(throws: Failure.self) {
            _ = try await remote.get(key, range: nil)
        }
        #expect(failure?.code == .notAllowed)
        #expect(failure?.description.contains(secret) == false)
    }

    @Test func `the bucket may be part of the host name`() async throws {
        var bucket = try await LiveBucket.at(
            .ceph, LiveBucket.cephKey, bucket: "filesinki", prefix: "virtual")
        let service = bucket.address.service
        bucket.address.style = .virtual
        bucket.address.endpoint?.host = "localhost"
        // Names below localhost are resolved by few systems; the gateway goes by the field.
        let remote = S3Remote(
            address: bucket.address, transport: Redirected(to: service, try HTTPConnections()),
            credentials: bucket.credentials, systemContext: .ofMachine)
        let key = try ObjectKey("packs/00/a")
        #expect(try await remote.publish([1, 2], to: key) == .mine)
        #expect(try await remote.get(key, range: nil) == [1, 2])
        let listed = try await remote.list(prefix: "", after: nil, limit: 9)
        #expect(listed == [ObjectInfo(key: key, size: 2)])
        bucket.address.style = .path
        bucket.address.endpoint = service
        #expect(try await bucket.remote().get(key, range: nil) == [1, 2])
    }

    @Test func `no acknowledged commit is lost among many writers`() async throws {
        let race = CommitRace(
            writers: knob("FILESINKI_RACE_WRITERS", otherwise: 6),
            commits: knob("FILESINKI_RACE_COMMITS", otherwise: 8))
        let bucket = try await bucket("race")
        let result = try await race.run { try bucket.remote() }
        print(result)
        #expect(result.acknowledged == race.writers * race.commits)
        #expect(result.lost == 0)
        #expect(result.changed == 0)
    }
}

/// Hides what a remote can say of itself.
struct MuteRemote: Remote {
    let wrapped: any Remote

    init(_ wrapped: any Remote) { self.wrapped = wrapped }

    var address: String { wrapped.address }

    func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try await wrapped.get(key, range: range)
    }

    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await wrapped.publish(bytes, to: slot)
    }

    func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        try await wrapped.put(bytes, to: key)
    }

    func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        try await wrapped.list(prefix: prefix, after: after, limit: limit)
    }

    func delete(_ key: ObjectKey) async throws { try await wrapped.delete(key) }

    func wait(prefix: String, timeout: Duration) async throws {
        try await wrapped.wait(prefix: prefix, timeout: timeout)
    }
}

/// Sends every request to one host, whatever its address says.
struct Redirected: HTTPTransport {
    let service: WebAddress
    let wrapped: any HTTPTransport

    init(to service: WebAddress, _ wrapped: any HTTPTransport) {
        self.service = service
        self.wrapped = wrapped
    }

    func send(_ request: HTTPRequest) async throws -> HTTPReply {
        var request = request
        let path = request.url.dropFirst("http://".count).drop { $0 != "/" }
        request.url = "\(service)" + path
        return try await wrapped.send(request)
    }

    func stream(
        _ request: HTTPRequest, _ receive: @Sendable (HTTPReply) async throws -> Bool
    ) async throws { try await wrapped.stream(request, receive) }
}
