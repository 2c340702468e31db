import FilesinkiTesting
import Glibc
import Testing

/// The limit of a device's link, with real programs and real connections.
@Suite("Bandwidth", .onOwnThreads)
struct BandwidthTests {
    /// The shortest time in which the limited half of a file can cross, in seconds.
    private static let shortest = 1.7

    @Test(
        "a run with a limit takes the time that its bytes need",
        arguments: [RemoteKind.server, .ssh])
    func limited(_ kind: RemoteKind) async throws {
        guard RemoteKind.chosen.contains(kind) || kind == .server else { return }
        let machine = try Machine()
        let place = try await RemotePlace.make(kind, for: machine)
        // 256 KiB that no compression shortens, at 128 KiB per second.
        let made = try machine.shell(
            """
            set -e; . ./\(RemotePlace.environmentFile)
            filesinki init a --remote '\(place.address)'; head -c 262144 /dev/urandom >a/file
            time=$(date +%s%N); filesinki sync --root a --bwlimit 128Ki:off
            echo $(( ($(date +%s%N) - time) / 1000000 ))
            time=$(date +%s%N); filesinki clone '\(place.address)' b --bwlimit off:128Ki
            echo $(( ($(date +%s%N) - time) / 1000000 ))
            cmp a/file b/file
            """)
        try #require(made.code == 0, "\(made.talk)")
        let times = made.output.split(separator: "\n").compactMap { Double($0) }
        #expect(times.count == 2, "\(made.output)")
        for time in times { #expect(time / 1000 >= Self.shortest, "\(times)") }
    }
}
