import Testing

@Suite("Where the version comes from", .onOwnThreads)
struct VersionTests {
    /// A machine with a copy of what knows the version, in a repository `tree` without a tag, and
    /// functions for the shell lines: `version`, and `compiled`, which a program says that was built
    /// from the copy as a release.
    static func tree() throws -> (machine: Machine, functions: String) {
        let machine = try Machine()
        let functions = """
            set -e
            git() {
                command git -c user.name=a -c user.email=a@host.invalid -c init.defaultBranch=main "$@"
            }
            version() { sh "$1/Scripts/version.sh"; }
            compiled() {
                printf '%s\\n' '#include "CVersion.h"' '#include <stdio.h>' \\
                    'int main(void) { printf("%s %s\\n", fsk_version(), fsk_commit()); }' >main.c
                cc -I "$1/Sources/CVersion/include" -o program main.c "$1/Sources/CVersion/version.c"
                ./program
            }

            """
        let run = try machine.shell(
            functions + """
                mkdir -p tree/Scripts tree/Sources
                cp "\(Machine.package)/Scripts/version.sh" tree/Scripts
                cp -R "\(Machine.package)/Sources/CVersion" tree/Sources
                cp "\(Machine.package)/.gitattributes" "\(Machine.package)/.gitignore" tree
                rm -f tree/Sources/CVersion/generated.h
                cd tree
                git init -q .
                git add .
                git commit -q -m one
                """)
        try #require(run.code == 0, "\(run)")
        return (machine, functions)
    }

    @Test func `git's newest tag is the version, and the commits after it are counted`() throws {
        let (machine, functions) = try Self.tree()
        let run = try machine.shell(
            functions + """
                short() { git -C tree rev-parse --short HEAD; }
                is() { [ "$(version tree)" = "$1" ] || { version tree; echo "not $1"; }; }
                is "0.1.0-dev $(short)"
                git -C tree tag v1.2.0
                git -C tree tag other
                is "1.2.0 $(short)"
                git -C tree commit -q --allow-empty -m two
                is "1.2.0-1-g$(short) $(short)"
                echo >>tree/Scripts/version.sh
                is "1.2.0-1-g$(short) $(short)-dirty"
                """)
        #expect(run.code == 0)
        #expect(run.output == "")
        #expect(run.talk == "")
    }

    @Test func `an archive of git's knows its version without git`() throws {
        let (machine, functions) = try Self.tree()
        let run = try machine.shell(
            functions + """
                unpack() { mkdir -p "$2"; git -C tree archive "$1" | tar -x -C "$2"; }
                is() { [ "$($1)" = "$2" ] || { $1; echo "not $2"; }; }
                git -C tree tag v1.2.0
                git -C tree commit -q --allow-empty -m two
                unpack v1.2.0 release
                unpack main later
                first=$(git -C tree rev-parse --short v1.2.0)
                second=$(git -C tree rev-parse --short main)
                is "version release" "1.2.0 $first"
                is "version later" "1.2.0-1-g$second $second"
                is "compiled release" "1.2.0 $first"
                # The repository that an archive is unpacked in is not its own.
                mkdir outer; git -C outer init -q .
                git -C outer commit -q --allow-empty -m other
                unpack v1.2.0 outer/release
                is "version outer/release" "1.2.0 $first"
                """)
        #expect(run.code == 0)
        #expect(run.output == "")
        #expect(run.talk == "")
    }

    @Test func `a release build has what was written, and a copy without git the file's number`()
        throws
    {
        let (machine, functions) = try Self.tree()
        let run = try machine.shell(
            functions + """
                compiled tree
                git -C tree tag v1.2.0
                sh tree/Scripts/version.sh --write
                [ "$(compiled tree)" = "1.2.0 $(git -C tree rev-parse --short HEAD)" ]
                stamp() { stat -c %y%i tree/Sources/CVersion/*; }
                before=$(stamp)
                sh tree/Scripts/version.sh --write
                [ "$(stamp)" = "$before" ]
                cp -R tree copy
                rm -rf copy/.git
                version copy
                """)
        #expect(run.code == 0)
        #expect(run.output == "0.1.0-dev \n0.1.0-dev\n")
        #expect(run.talk == "")
    }
}
