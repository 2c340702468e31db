import CKernel
import FilesinkiCommands
import FilesinkiModel
import FilesinkiNetwork
import FilesinkiSystem
import Glibc

@main
struct Main {
    static func main() async {
        fsk_share_one_heap()
        fsk_keep_memory_private()
        let code = await Program.run(
            arguments: Console.argumentsOfProcess(), in: Console.ofProcess(network: network))
        exit(code.rawValue)
    }

    private static let network: NetworkAccess = {
        let remotes = NetworkRemotes(systemContext: .ofMachine) { name in
            getenv(name).map { String(cString: $0) }
        }
        return NetworkAccess(
            connect: { try remotes.connect($0, $1) }, pin: { try remotes.pin($0, $1) },
            serve: { try await Serving.serve($0, $1) }, tokens: { try Serving.tokens($0) },
            page: { try await Serving.page($0, $1) },
            ping: { request in
                let monitor = Monitor(limit: PingRequest.limit) { name in
                    getenv(name).map { String(cString: $0) }
                }
                try await monitor.ping(request.url, body: request.body)
            })
    }()
}
