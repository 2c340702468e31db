import FileSinki
import Foundation
import Testing

@Suite("FS-18: compression outside of a root")
struct CompressionTests {
    private let text = Data(String(repeating: "a sentence that comes again. ", count: 500).utf8)

    /// Bytes that nothing makes smaller.
    private static func noise(_ count: Int) -> Data {
        var state: UInt64 = 7
        return Data(
            (0..<count).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 33)
            })
    }

    @Test(
        "FS-18: compressed data is smaller and decompresses to the same bytes",
        arguments: CompressionAlgorithm.allCases)
    func roundTrip(_ algorithm: CompressionAlgorithm) throws {
        let packed = try #require(text.compress(algorithm: algorithm))
        #expect(packed.count < text.count / 10)
        #expect(try packed.decompress(algorithm: algorithm) == text)
        // A slice does not begin at 0.
        let slice = text[100..<5000]
        #expect(try slice.compress(algorithm: algorithm)?.decompress(algorithm: algorithm) == slice)
    }

    @Test(
        "FS-18: data that would not shrink gives nil", arguments: CompressionAlgorithm.allCases)
    func incompressible(_ algorithm: CompressionAlgorithm) {
        #expect(Data().compress(algorithm: algorithm) == nil)
        #expect(Data("abc".utf8).compress(algorithm: algorithm) == nil)
        #expect(Self.noise(4096).compress(algorithm: algorithm) == nil)
    }

    @Test(
        "FS-18: damaged, truncated, foreign and empty data throws and is never returned",
        arguments: CompressionAlgorithm.allCases)
    func corrupt(_ algorithm: CompressionAlgorithm) throws {
        let packed = try #require(text.compress(algorithm: algorithm))
        var damaged: [Data] = [
            Data(), text, packed.dropLast(), packed.prefix(3), packed + Data("more".utf8),
        ]
        for index in stride(from: 0, to: packed.count, by: 5) {
            var flipped = packed
            flipped[index] ^= 0x10
            damaged.append(flipped)
        }
        for data in damaged {
            let error = #expect(throws: FileSinkiError.self) {
                // A flipped bit that says the same is no damage.
                if try data.decompress(algorithm: algorithm) == text {
                    throw FileSinkiError(.corrupt, path: "", message: "", remedy: "")
                }
            }
            #expect(error?.code == .corrupt || error?.code == .limit)
        }
    }

    @Test(
        "FS-18: decompression stops at the limit", arguments: CompressionAlgorithm.allCases)
    func limit(_ algorithm: CompressionAlgorithm) throws {
        let bomb = try #require(Data(count: 8 << 20).compress(algorithm: algorithm))
        #expect(bomb.count < 64 << 10)
        let error = #expect(throws: FileSinkiError.self) {
            try bomb.decompress(algorithm: algorithm, limit: (8 << 20) - 1)
        }
        #expect(error?.code == .limit)
        #expect(try bomb.decompress(algorithm: algorithm, limit: 8 << 20).count == 8 << 20)
    }

    @Test(
        "FS-18: other programs read the compressed data",
        arguments: [("zstd", ".zst"), ("xz", ".xz")])
    func otherPrograms(_ name: String, _ suffix: String) throws {
        let meeting = try Meeting()
        let algorithm = try #require(CompressionAlgorithm(rawValue: name))
        let file = meeting.root("plain").appending(path: "text")
        try text.write(toFileURL: file, compression: algorithm)
        let program = "/usr/bin/\(name)"
        guard FileManager.default.isExecutableFile(atPath: program) else {
            print("left out: \(name) is not installed")
            return
        }
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = ["-dc", file.path + suffix]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(bytes == text)
    }

    @Test("FS-18: values are written to files outside of a root, and read again")
    func values() throws {
        let meeting = try Meeting()
        let folder = meeting.root("local")
        let score = Score(score: 3)
        for algorithm in CompressionAlgorithm.allCases {
            let file = folder.appending(path: "deep/\(algorithm.rawValue)")
            try score.saveLocalTo(fileURL: file, compression: algorithm)
            #expect(!FileManager.default.fileExists(atPath: file.path))
            #expect(try Score.loadFromLocal(fileURL: file, compression: algorithm) == score)
            #expect(
                try Score.decodeFrom(
                    data: score.compress(with: algorithm), compression: algorithm) == score)
        }
        let plain = folder.appending(path: "plain")
        #expect(
            try score.saveLocalTo(fileURL: plain, compression: nil)
                == Data(#"{"player":"somebody","score":3}"#.utf8))
        #expect(try Score.loadFromLocal(fileURL: plain, compression: nil) == score)
        #expect(try Score.loadFromLocal(fileURL: folder.appending(path: "none")) == nil)
        try Data("nonsense".utf8).write(to: folder.appending(path: "bad.zst"))
        let error = #expect(throws: FileSinkiError.self) {
            try Score.loadFromLocal(fileURL: folder.appending(path: "bad"))
        }
        #expect(error?.code == .corrupt)
        #expect(error?.path == folder.appending(path: "bad.zst").path)
    }
}
