import ArgumentParser
import FilesinkiModel

/// `completions`: what a shell needs to complete our commands.
struct CompletionsCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Print completions for a shell.",
        discussion: """
            For example: filesinki completions bash \
            > ~/.local/share/bash-completion/completions/filesinki
            """)

    @Argument(help: "bash, zsh or fish.", completion: .list(["bash", "zsh", "fish"]))
    var shell: String

    func run(in console: Console) async throws -> ExitCode {
        guard let known = CompletionShell(rawValue: shell) else {
            throw Failure(
                .usage, path: shell, "There are no completions for this shell.",
                remedy: "Choose bash, zsh or fish.")
        }
        try console.output.line(FilesinkiCommand.completionScript(for: known))
        return .done
    }
}
