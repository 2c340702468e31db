import FilesinkiModel
import Testing

@testable import FilesinkiEngine

@Suite struct ReplicaConfigTests {
    private static func id(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 16) }

    private var config: ReplicaConfig {
        var config = ReplicaConfig(
            device: Device(id: Self.id(1), name: "laptop = mine"), remote: "/mnt/a = b",
            store: Self.id(9), epoch: 3)
        config.formerDevices = [.init(id: Self.id(2), last: 7), .init(id: Self.id(3), last: 9)]
        return config
    }

    @Test func `the text makes the round trip`() throws {
        #expect(try ReplicaConfig(text: config.text, path: "p") == config)
        let alone = ReplicaConfig(device: config.device, remote: nil)
        #expect(try ReplicaConfig(text: alone.text, path: "p") == alone)
    }

    @Test(
        "a commit of a former id is the replica's own up to the last one",
        arguments: [
            (2, 7, true), (2, 6, true), (2, 8, false), (3, 9, true), (3, 8, true), (3, 10, false),
            (1, 1, false), (4, 1, false),
        ] as [(UInt8, UInt64, Bool)])
    func former(_ id: UInt8, _ sequence: UInt64, _ isOwn: Bool) {
        #expect(config.wasOwn(Self.id(id), at: sequence) == isOwn)
    }

    @Test(
        "malformed text is refused",
        arguments: [
            "", "filesinki replica\n", "device = 00\nstore = 00\n",
            "filesinki replica\ndevice = 0101\nstore = \n",
            "filesinki replica\ndevice = 01010101010101010101010101010101\nstore = x\n",
        ])
    func malformed(_ text: String) {
        let failure = #expect(throws: Failure.self) { try ReplicaConfig(text: text, path: "p") }
        #expect(failure?.code == .corrupt && failure?.path == [112])
    }

    @Test(
        "a malformed line of a former id is skipped",
        arguments: ["former = 00 1", "former = 7", "former 02 7", "other = 1"])
    func skipped(_ line: String) throws {
        #expect(try ReplicaConfig(text: config.text + line + "\n", path: "p") == config)
    }
}
