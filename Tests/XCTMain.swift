import Glibc
import Testing

/// Runs the tests.
///
/// By this file's name SwiftPM knows that it need not search all tests for cases of XCTest. There are none,
/// and for the search it needs an index, which takes up to two fifths of the time of a debug build.
@main
struct TestsMain {
    static func main() async {
        // A plain `swift test` asks for XCTest only.
        guard CommandLine.arguments.contains("--testing-library") else {
            print("Run make test, or swift test --enable-swift-testing --disable-xctest.")
            exit(64)
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
