import FilesinkiHTTP
import FilesinkiRemote
import FilesinkiTesting
import FilesinkiWebDAV
import Testing

/// The contract holds whatever a server answers, as long as it does the right thing.
@Suite struct HabitTests {
    @Test(
        "the contract is honoured with each server's peculiarities", arguments: MemoryDAV.Habits.all
    )
    func contract(_ habits: MemoryDAV.Habits) async throws {
        for contract in RemoteContract.all {
            let server = MemoryDAV(habits)
            try await contract.check(server.remote(), server.remote(), server.remote())
        }
    }

    @Test func `no unfinished object and no empty slot folder is left behind`() async throws {
        let server = MemoryDAV()
        let remote = try server.remote()
        for text in ["one", "two"] { _ = try await remote.publish(bytes(text), to: key("log/1/c")) }
        for _ in 0..<2 { try await remote.put(bytes("x"), to: key("packs/00/a")) }
        #expect(
            server.paths == [
                "/", "/dav/", "/dav/log/", "/dav/log/1/", "/dav/log/1/c", "/dav/packs/",
                "/dav/packs/00/", "/dav/packs/00/a",
            ])
        try await remote.delete(key("log/1/c"))
        try await remote.delete(key("packs/00/a"))
        #expect(server.paths == ["/", "/dav/", "/dav/log/", "/dav/packs/", "/dav/packs/00/"])
        #expect(try await remote.publish(bytes("three"), to: key("log/1/c")) == .mine)
    }

    @Test func `only requests that every server supports are sent`() async throws {
        var requests: [HTTPRequest] = []
        for contract in RemoteContract.all {
            let server = MemoryDAV()
            try await contract.check(server.remote(), server.remote())
            requests += server.requests
        }
        let methods: Set = ["GET", "PUT", "MKCOL", "MOVE", "DELETE", "PROPFIND"]
        #expect(Set(requests.map(\.method)) == methods)
        for request in requests {
            for name in ["Expect", "If", "If-Match", "If-None-Match", "Lock-Token"] {
                #expect(request.fields[name] == nil, "\(request.method)")
            }
            #expect(request.fields["Depth"]?.contains("infinity") != true)
            // nginx makes and moves no collection without the slash.
            if request.method == "MKCOL" { #expect(request.url.hasSuffix("/")) }
            if request.method == "MOVE" {
                let destination = try #require(request.fields["Destination"])
                #expect(destination.hasSuffix("/") == request.url.hasSuffix("/"))
            }
        }
    }
}

extension MemoryDAV.Habits {
    /// As they were measured.
    static let all: [MemoryDAV.Habits] =
        [MemoryDAV.Habits()]
        + [405, 403, 423, 500, 400, 207, 409, 404, 502].map { status in
            var habits = MemoryDAV.Habits(description: "losers get \(status)")
            habits.lost = status
            return habits
        }
        + [200, 204].map { status in
            var habits = MemoryDAV.Habits(description: "winners get \(status)")
            habits.won = status
            return habits
        }
        + [404, 500].map { status in
            var habits = MemoryDAV.Habits(description: "a missing collection is \(status)")
            habits.orphaned = status
            return habits
        } + others

    private static var others: [MemoryDAV.Habits] {
        var whole = MemoryDAV.Habits(description: "ranges are ignored")
        whole.sendsAll = true
        var paged = MemoryDAV.Habits(description: "a collection is a page")
        paged.collection = { _ in page }
        var forbidden = MemoryDAV.Habits(description: "a collection is forbidden")
        forbidden.collection = { _ in HTTPReply(status: 403) }
        var absolute = MemoryDAV.Habits(description: "listings have whole addresses")
        absolute.href = { "http://another.example:8080" + $0 }
        var slashless = MemoryDAV.Habits(description: "listings have no slash behind collections")
        slashless.href = { $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        var encoded = MemoryDAV.Habits(description: "listings encode what they need not")
        encoded.href = { path in
            "\n " + path.utf8.map { $0 == UInt8(ascii: "/") ? "/" : "%" + hex($0) }.joined() + " "
        }
        return [whole, paged, forbidden, absolute, slashless, encoded]
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }
}
