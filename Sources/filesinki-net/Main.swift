import CKernel
import FilesinkiCommands
import FilesinkiModel
import FilesinkiNetwork
import Glibc

@main
struct Main {
    static func main() async {
        fsk_share_one_heap()
        let network = NetworkAccess(
            connect: { throw Self.notYet($0) },
            serve: { options, _ in throw Self.notYet(options.folder) },
            tokens: { request, _ in throw Self.notYet(request.folder) },
            ping: { request in
                let monitor = Monitor(limit: PingRequest.limit) { name in
                    getenv(name).map { String(cString: $0) }
                }
                try await monitor.tell(request.url, body: request.body)
            })
        let code = await Program.run(
            arguments: Console.argumentsOfProcess(), in: Console.ofProcess(network: network))
        exit(code.rawValue)
    }

    private static func notYet(_ place: String) -> Failure {
        Failure(.usage, path: place, "It is not supported yet.", remedy: "Use a folder.")
    }
}
