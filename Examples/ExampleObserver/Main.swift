import FileSinki
import Foundation

/// `ExampleObserver ROOT STORE COUNT`: prints what other devices change, until it was so many changes.
@main
struct Main {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 3, var count = Int(arguments[2]), count > 0 else {
            print("usage: ExampleObserver ROOT STORE COUNT")
            exit(2)
        }
        let root = URL(filePath: arguments[0])
        let sinki = try await FileSinki(root: root, remote: "dir:" + arguments[1])
        for try await change in sinki.changes(at: "") {
            switch change {
            case .changed(let data, let path): print("changed \(path): \(data.count) bytes")
            case .deleted(let path): print("deleted \(path)")
            }
            count -= 1
            if count == 0 { break }
        }
    }
}
