import FilesinkiTesting
import Foundation
import Glibc
import Testing

/// The commands of README, unchanged, on machines where nothing is set up. Two
/// homes stand for two machines; only the port of the server is another.
@Suite("README", .onOwnThreads)
struct ReadmeTests {
    /// The commands of README, by what stands behind their fences, in order.
    private let desktop: [String]
    private let laptop: [String]
    private let anybody: [String]
    private let rules: [String]
    private let ssh: [String]

    init() throws {
        let text = try String(contentsOfFile: Machine.package + "/README.md", encoding: .utf8)
        let blocks = MarkdownBlock.all(in: text)
        func texts(_ info: String) -> [String] { blocks.filter { $0.info == info }.map(\.text) }
        (desktop, laptop) = (texts("sh desktop"), texts("sh laptop"))
        (anybody, rules) = (texts("sh newcomer"), texts("toml"))
        ssh = texts("sh ssh")
    }

    /// Host names, `/mnt/share` and a copy over the network, where a process may have its own.
    private static let world = """
        set -e
        export HOMES="$PWD/homes" PATH="$PWD/bin:$PATH"
        mkdir -p homes/desktop homes/laptop bin mnt/share
        ln -s "$FILESINKI" bin/filesinki
        cat >bin/scp <<'EOF'
        #!/bin/sh
        for to; do :; done
        for from; do case $from in *:*) cp -p "$HOMES/${from%%:*}/${from#*:}" "$to" ;; esac; done
        EOF
        chmod +x bin/scp
        mount --bind mnt /mnt
        printf '127.0.0.1 localhost desktop laptop\\n' >hosts
        mount --bind hosts /etc/hosts
        # on MACHINE: runs what comes by standard input there, in its home.
        on() {
            env -i HOME="$HOMES/$1" HOMES="$HOMES" PATH="$PATH" LC_ALL=C.UTF-8 \\
                unshare --uts bash -c 'echo "$0" >/proc/sys/kernel/hostname; cd; exec bash -e' "$1"
        }

        """

    /// How a process gets host names, mounts and children of its own, which end with it; nil where it
    /// may not.
    private static let unshare: String? = {
        guard let machine = try? Machine() else { return nil }
        let spaces = "--mount --uts --pid --fork --kill-child --mount-proc"
        return ["unshare \(spaces)", "unshare --user --map-root-user \(spaces)"].first {
            let probe = "\($0) sh -c 'mount --bind . /mnt && echo x >/proc/sys/kernel/hostname'"
            return (try? machine.shell(probe))?.code == 0
        }
    }()

    private static let mayUnshare = ConditionTrait.enabled(
        if: unshare != nil, "no namespaces for mounts and host names here")

    private func run(_ script: String) throws -> Machine.Finished {
        let machine = try Machine()
        try machine.write(Self.world + script, to: "script")
        return try machine.shell("exec \(Self.unshare ?? "") bash script 2>&1")
    }

    private func on(_ name: String, _ script: String) -> String {
        "on \(name) <<'END_OF_BLOCK'\n\(script)\nEND_OF_BLOCK\n"
    }

    @Test("E7.4 README's quick start with a shared directory", mayUnshare)
    func sharedDirectory() throws {
        try #require(desktop.count == 2 && laptop.count == 5 && rules.count == 1)
        let edit = "echo two >>work/plan.txt; filesinki sync -q work"
        let script =
            on("desktop", "mkdir work; echo one >work/plan.txt; echo old >work/old.txt")
            + on("desktop", desktop[0])
            + on("laptop", laptop[0])
            + on("laptop", "cat work/plan.txt; rm work/old.txt; filesinki sync -q work")
            + on("desktop", "filesinki sync -q work; \(edit)")
            + on("laptop", laptop[2])
            // Both change one line: the run says so by its exit code.
            + on("desktop", "sed -i s/one/ONE/ work/plan.txt; filesinki sync -q work")
            + on(
                "laptop",
                "sed -i s/one/eins/ work/plan.txt; filesinki sync -q work && exit 1 || test $? = 3")
            // That there is a conflict is an exit code, too; afterwards there is none.
            + on(
                "laptop",
                "cd work; set +e\n" + laptop[3] + "set -e; filesinki conflicts; cat plan.txt")
            + on("laptop", "cat >work/.filesinki.toml <<'EOF'\n\(rules[0])EOF\nfilesinki sync work")
            // A difference is an exit code, as with diff.
            + on(
                "laptop",
                "cd work; set +e\n" + laptop[4]
                    + "set -e; filesinki sync -q; cat old.txt plan.txt; test -f ../then/plan.txt")
            + "echo all was run\n"
        let finished = try run(script)
        #expect(finished.code == 0, "\(finished.output)")
        #expect(finished.output.hasSuffix("old\none\ntwo\nall was run\n"), "\(finished.output)")
        #expect(!finished.output.contains("filesinki: "), "\(finished.output)")
    }

    @Test("E7.4 README's quick start with a server, and later runs need nothing else", mayUnshare)
    func ownServer() throws {
        try #require(desktop.count == 2 && laptop.count == 5)
        let lines = desktop[1].split(separator: "\n").map(String.init)
        let serve = try #require(lines.last)
        #expect(serve.hasPrefix("filesinki serve ~/store --listen 0.0.0.0:8390 "))
        #expect(laptop[1].contains("https://desktop:8390 "))
        let script =
            on("desktop", "mkdir work; echo one >work/plan.txt")
            + on("desktop", lines.dropLast().joined(separator: "\n"))
            + "mkfifo talk; exec 9<>talk\n"
                + """
                on desktop 2>talk <<'END_OF_BLOCK' &
                exec \(serve.replacing(":8390", with: ":0"))
                END_OF_BLOCK
                while read -r line <&9; do
                    port=$(printf '%s\\n' "$line" | sed -n 's/^Serving .*:\\([0-9]*\\)$/\\1/p')
                    test -z "$port" || break
                    case $line in filesinki:*) echo "$line"; exit 1 ;; esac
                done

                """
            + "sed \"s/:8390/:$port/\" >clone <<'EOF'\n\(laptop[1])EOF\non laptop <clone\n"
            + on("laptop", "cat work/plan.txt; stat -c %a work/.filesinki/access.toml laptop.token")
            // Nothing is left but the replica.
            + on("laptop", "rm laptop.token; ls; echo two >work/b; filesinki sync work")
            + on(
                "desktop",
                "filesinki sync -q work; cat work/b; echo three >work/c; filesinki sync -q work")
            + on(
                "laptop",
                "cd work; filesinki sync -q; cat c; filesinki remote check | grep -c holds")
            + on(
                "laptop",
                "grep -c fsk_ work/.filesinki/access.toml; ! grep -r fsk_ work/.filesinki/replica")
            + "echo all was run\n"
        let finished = try run(script)
        #expect(finished.code == 0, "\(finished.output)")
        let wanted = ["one\n600\n600\n", "two\n", "three\n7\n1\n", "all was run\n"]
        for text in wanted { #expect(finished.output.contains(text), "\(finished.output)") }
        #expect(!finished.output.contains("filesinki: "), "\(finished.output)")
    }

    /// An sshd whose users are at home on the desktop, and what ssh on the laptop knows of it.
    private static let sshWorld = """
        sed "s|^\\(root:[^:]*:0:0:[^:]*\\):[^:]*:|\\1:$HOMES/desktop:|" /etc/passwd >passwd
        mount --bind passwd /etc/passwd
        for tried in 1 2 3; do
            port=$(python3 -c 'import socket as s; print(s.create_server(("127.0.0.1", 0)).getsockname()[1])')
            bash \(Machine.package)/Scripts/servers/sshd.sh start "$port" "$PWD/sshd" && break
            rm -rf sshd
        done
        printf '%s\n' 'Host desktop' 'HostName 127.0.0.1' "Port $port" "IdentityFile $PWD/sshd/key" \\
            "UserKnownHostsFile $PWD/sshd/known_hosts" 'IdentitiesOnly yes' >config
        printf '#!/bin/sh\nexec "%s" -F "%s" "$@"\n' "$(command -v ssh)" "$PWD/config" >bin/ssh
        chmod +x bin/ssh

        """

    @Test(
        "README's quick start over ssh", mayUnshare,
        .enabled(if: RealServer.sshd.isInstalled, "openssh-server is not installed"),
        .enabled(if: geteuid() == 0, "only root can give a user another home"))
    func overSSH() throws {
        try #require(desktop.count == 2 && ssh.count == 1)
        let first = desktop[1].split(separator: "\n").prefix(2).joined(separator: "\n")
        let script =
            Self.sshWorld
            + on("desktop", "mkdir work; echo one >work/plan.txt\n" + first)
            + on("laptop", ssh[0])
            + on("laptop", "cat work/plan.txt; echo two >work/b; filesinki sync -q work")
            + on("desktop", "filesinki sync -q work; cat work/b; ls")
            + on("laptop", "cd work; filesinki remote check | grep -c holds")
            + "echo all was run\n"
        let finished = try run(script)
        #expect(finished.code == 0, "\(finished.output)")
        for text in ["one\n", "two\nstore\nwork\n", "7\nall was run\n"] {
            #expect(finished.output.contains(text), "\(finished.output)")
        }
        #expect(!finished.output.contains("filesinki: "), "\(finished.output)")
    }

    @Test("E7.4 the commands that README shows for a new account work at once")
    func newcomer() throws {
        try #require(anybody.count == 1)
        let machine = try Machine()
        let finished = try machine.shell("mkdir home; \(anybody[0])")
        #expect(finished.code == 0, "\(finished.talk)")
        #expect(finished.output == "hi\n")
    }
}
