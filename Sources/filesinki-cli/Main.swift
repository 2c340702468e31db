import CKernel
import FilesinkiCommands
import Glibc

@main
struct Main {
    static func main() async {
        fsk_share_one_heap()
        let code = await Program.run(
            arguments: Console.argumentsOfProcess(),
            in: Console.ofProcess(network: NetworkProgram.standIn))
        exit(code.rawValue)
    }
}
