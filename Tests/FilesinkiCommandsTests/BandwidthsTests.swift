import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiRules
import FilesinkiTesting
import Testing

@testable import FilesinkiCommands

@Suite("bwlimit")
struct BandwidthsTests {
    let world: World

    init() async throws {
        world = try World()
        try world.makeFolder("a")
        #expect(
            try await world.run("init", "a", "--remote", "store", "--device", "a").code == .done)
    }

    var replica: ReplicaOptions {
        ReplicaOptions(
            root: world.folder + "/a", systemContext: ManualClock().systemContext,
            configuration: world.folder + "/config/filesinki/config.toml",
            connect: { _ in throw Failure(.away, "No remote.", remedy: "None.") })
    }

    @Test("one limit is one for all connections, and the command line's overrides the settings'")
    func shared() throws {
        let bandwidths = Bandwidths(ManualClock().systemContext)
        #expect(try bandwidths.bandwidth(of: nil) == nil)
        #expect(try bandwidths.bandwidth(of: replica) == nil)
        try world.write("bwlimit = '1M'\n", to: "config/filesinki/config.toml")
        let ofUser = try #require(try bandwidths.bandwidth(of: replica))
        #expect(ofUser.time(for: 1_000_000) == .seconds(1))
        #expect(try bandwidths.bandwidth(of: replica) === ofUser)
        try world.write("bwlimit = '500K'\n", to: "a/.filesinki/config.toml")
        #expect(try bandwidths.bandwidth(of: replica)?.time(for: 1_000_000) == .seconds(2))
        bandwidths.given = try BandwidthLimit(parsing: "100K")
        #expect(try bandwidths.bandwidth(of: replica)?.time(for: 1_000_000) == .seconds(10))
        bandwidths.given = BandwidthLimit()
        #expect(try bandwidths.bandwidth(of: replica) == nil)
    }

    @Test("an invalid limit exits with 2, and nothing runs", arguments: ["sync", "watch", "clone"])
    func invalid(command: String) async throws {
        let words = command == "clone" ? ["store", "b"] : ["a"]
        let outcome = try await world.run(
            bytes: ([command] + words + ["--bwlimit", "1K"]).map { Array($0.utf8) })
        #expect(outcome.code == .usage)
        #expect(outcome.talk.contains("Invalid bandwidth limit: '1K'."), "\(outcome.talk)")
        #expect(world.names(in: "b").isEmpty)
    }

    @Test("an option that limits nothing says so, once")
    func folder() async throws {
        let limited = try await world.run("sync", "a", "--bwlimit", "1M")
        #expect(limited.code == .done)
        let parts = limited.talk.split(separator: "--bwlimit does not limit a store in a folder")
        #expect(parts.count == 2 || limited.talk.hasPrefix("--bwlimit") && parts.count == 1)
        #expect(try await !world.run("sync", "a").talk.contains("bwlimit"))
        #expect(try await !world.run("sync", "a", "--bwlimit", "off").talk.contains("bwlimit"))
    }

    @Test("config set refuses it for the synced file, and sets it for the device")
    func configured() async throws {
        let synced = try await world.run("config", "set", "bwlimit", "2M", "--root", "a")
        #expect(synced.code == .usage)
        #expect(
            synced.talk.contains("filesinki config set --root \(world.folder)/a --device bwlimit"),
            "\(synced.talk)")
        let listed = try await world.run("config", "list", "--defaults", "--root", "a")
        #expect(!listed.text.contains("bwlimit"))
        let device = try await world.run("config", "set", "--device", "bwlimit", "2M:1M")
        #expect(device.code == .done, "\(device.talk)")
        #expect(world.readText("config/filesinki/config.toml") == "bwlimit = \"2M:1M\"\n")
        #expect(try await world.run("config", "list", "--device").lines == ["bwlimit = \"2M:1M\""])
    }
}
