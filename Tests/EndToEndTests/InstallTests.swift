import Glibc
import Testing

@Suite("Installed files", .onOwnThreads)
struct InstallTests {
    /// Whether a program is on the machine that runs the tests.
    private static func has(_ program: String) -> Bool {
        ["/usr/bin/", "/bin/", "/usr/local/bin/"].contains { access($0 + program, X_OK) == 0 }
    }

    /// A machine with everything installed below `prefix`.
    static func installed() throws -> Machine {
        let machine = try Machine()
        let run = try machine.shell(
            """
            mkdir built; ln -s "$FILESINKI" built/filesinki
            printf '#!/bin/sh\\necho "the other: $*"\\n' >built/filesinki-net
            chmod +x built/filesinki-net
            sh \(Machine.package)/Scripts/install.sh built/filesinki prefix
            """)
        try #require(run.code == 0, "\(run)")
        return machine
    }

    @Test func `both programs, manual pages and completions are installed in their places`() throws
    {
        let machine = try Self.installed()
        for path in [
            "bin/filesinki", "libexec/filesinki/filesinki-net", "share/man/man1/filesinki.1",
            "share/man/man1/filesinki-sync.1", "share/man/man1/filesinki-serve-token-make.1",
            "share/bash-completion/completions/filesinki", "share/zsh/site-functions/_filesinki",
            "share/fish/vendor_completions.d/filesinki.fish",
        ] {
            #expect(access(machine.folder + "/prefix/" + path, R_OK) == 0, "\(path)")
        }
        let version = try machine.shell("prefix/bin/filesinki --version")
        #expect(version.output.hasPrefix("filesinki "))
    }

    @Test func `systemd's units are installed where it looks: in lib of the system, else in share`()
        throws
    {
        let machine = try Self.installed()
        let run = try machine.shell(
            """
            sh \(Machine.package)/Scripts/install.sh built/filesinki system /usr/local/bin >/dev/null
            for folder in prefix/share system/lib; do
                ls $folder/systemd/user
                grep -h ^ExecStart= $folder/systemd/user/filesinki-sync@.service
            done
            ls -d prefix/lib/systemd system/share/systemd 2>/dev/null
            """)
        let units = "filesinki-sync@.service\nfilesinki-sync@.timer\nfilesinki-watch@.service\n"
        let end = "/filesinki sync --quiet --lock-wait 5m %f\n"
        #expect(
            run.output == "\(units)ExecStart=\(machine.folder)/prefix/bin\(end)"
                + "\(units)ExecStart=/usr/local/bin\(end)", "\(run)")
    }

    @Test func `the installed program runs the network program when needed`() throws {
        let machine = try Self.installed()
        let run = try machine.shell("prefix/bin/filesinki clone https://host.invalid x")
        #expect(run.output == "the other: clone https://host.invalid x\n")
    }

    @Test func `without the network program the message names it and its place`() throws {
        let machine = try Self.installed()
        let run = try machine.shell(
            "rm prefix/libexec/filesinki/filesinki-net; "
                + "prefix/bin/filesinki clone https://host.invalid x")
        #expect(run.code == 2)
        #expect(run.talk.contains("filesinki-net"))
    }

    @Test(
        "each shell loads its completions",
        arguments: [
            ("bash", "share/bash-completion/completions/filesinki"),
            ("zsh", "share/zsh/site-functions/_filesinki"),
            ("fish", "share/fish/vendor_completions.d/filesinki.fish"),
        ].filter { has($0.0) })
    func completions(_ shell: String, _ path: String) throws {
        let machine = try Self.installed()
        let run = try machine.shell("\(shell) -n prefix/\(path)")
        #expect(run.code == 0, "\(run)")
        #expect(run.talk.isEmpty)
        let content = machine.read("prefix/" + path) ?? ""
        for word in ["sync", "doctor", "dry-run", "ping-url"] { #expect(content.contains(word)) }
    }

    @Test(
        "groff renders every manual page without a warning",
        .enabled(if: has("groff"), "groff is not installed"))
    func manual() throws {
        let machine = try Self.installed()
        let run = try machine.shell(
            """
            for page in prefix/share/man/man1/*; do
                groff -man -Tutf8 -K utf8 -ww -P-cbou "$page"
            done >rendered
            """)
        #expect(run.code == 0)
        #expect(run.talk.isEmpty, "\(run.talk)")
        let text = machine.read("rendered") ?? ""
        for word in ["EXIT STATUS", "ENVIRONMENT", "FILESINKI_ROOT", "SYNOPSIS"] {
            #expect(text.contains(word), "\(word)")
        }
    }
}
