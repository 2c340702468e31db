import FilesinkiCommands
import Glibc

@main
struct Main {
    static func main() async {
        let code = await Program.run(
            arguments: Console.argumentsOfProcess(), in: Console.ofProcess())
        exit(code.rawValue)
    }
}
