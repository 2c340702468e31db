import Glibc
import Testing

@Suite(
    "The packages", .onOwnThreads,
    .enabled(if: access("/usr/bin/dpkg-deb", X_OK) == 0, "dpkg-deb is not installed"))
struct PackageTests {
    @Test func `dpkg sorts the versions in the order in which they were made`() throws {
        let machine = try Machine()
        let run = try machine.shell(
            """
            version() { sh \(Machine.package)/Scripts/package/deb-version.sh "$@"; }
            export SOURCE_DATE_EPOCH=1800000000
            first=$(version 0.2.0-dev ffffff1)
            SOURCE_DATE_EPOCH=1800000060
            second=$(version 0.2.0-dev 1111111-dirty)
            printf '%s\\n' "$first" "$second" "$(version 0.2.0-rc.1 1)" "$(version 0.2.0 2)" \\
                "$(version 0.2.0-9-gfffffff 3)" "$(version 0.2.0-10-g1111111 4)" "$(version 0.2.1 5)" |
                tee versions
            previous=
            while read -r next; do
                [ -z "$previous" ] || dpkg --compare-versions "$previous" lt "$next" || echo "$next"
                previous=$next
            done <versions
            """)
        #expect(run.code == 0)
        #expect(
            run.output == """
                0.2.0~dev202701150800.gffffff1
                0.2.0~dev202701150801.g1111111.dirty
                0.2.0~rc.1
                0.2.0
                0.2.0+9.gfffffff
                0.2.0+10.g1111111
                0.2.1

                """)
        #expect(run.talk == "")
    }

    @Test(
        .enabled(
            if: access("/usr/bin/dpkg-shlibdeps", X_OK) == 0, "dpkg-shlibdeps is not installed"))
    func `the package has its files, and two builds of it are equal`() throws {
        let machine = try Machine()
        let run = try machine.shell(
            """
            set -e
            export SOURCE_DATE_EPOCH=1800000000
            export DPKG_DEB_COMPRESSOR_TYPE=none
            mkdir built one two
            cp "$FILESINKI" built/filesinki
            # Any program will do, and this one is small.
            cp /bin/true built/filesinki-net
            strip built/filesinki
            echo licence >licence
            for folder in one two; do
                sh \(Machine.package)/Scripts/package/deb.sh built licence 1.2.0 $folder
            done
            cmp one/* two/*
            dpkg-deb -f one/* Package Version Depends | sed 's/ (.*//'
            dpkg-deb -c one/* | awk '{ print $2, $4, $5, $6 }'
            dpkg-deb -x one/* unpacked
            dpkg-deb -e one/* unpacked/DEBIAN
            cd unpacked
            md5sum --quiet -c DEBIAN/md5sums
            grep -h ExecStart= usr/lib/systemd/user/filesinki-sync@.service
            """)
        #expect(run.code == 0, "\(run)")
        #expect(run.output.hasPrefix("Package: filesinki\nVersion: 1.2.0\nDepends: libc6\n"))
        for path in [
            "bin/filesinki", "libexec/filesinki/filesinki-net", "share/man/man1/filesinki.1.gz",
            "share/bash-completion/completions/filesinki", "share/doc/filesinki/copyright",
            "share/zsh/vendor-completions/_filesinki", "share/doc/filesinki/changelog.gz",
            "share/fish/vendor_completions.d/filesinki.fish",
        ] {
            #expect(run.output.contains("root/root 2027-01-15 08:00 ./usr/\(path)\n"), "\(path)")
        }
        #expect(
            run.output.hasSuffix("ExecStart=/usr/bin/filesinki sync --quiet --lock-wait 5m %f\n"))
    }

    @Test func `the image has what it says, and two builds of it are equal`() throws {
        let machine = try Machine()
        let run = try machine.shell(
            """
            set -e
            export SOURCE_DATE_EPOCH=1800000000
            mkdir built one two image
            cp /bin/true built/filesinki; cp /bin/true built/filesinki-net; echo licence >licence
            for folder in one two; do
                sh \(Machine.package)/Scripts/package/image.sh built licence 1.2.0 $folder
            done
            cmp one/* two/*
            tar -C image -xf one/filesinki-1.2.0-*-oci.tar
            python3 \(Machine.package)/Scripts/package/verify-image.py image >said; head -n 1 said
            tar --numeric-owner -tvzf "$(tail -n 1 said)" | awk '{ print $1, $2, $6 }'
            """)
        #expect(run.code == 0, "\(run)")
        #expect(
            run.output == """
                /usr/bin/filesinki serve /store --create --listen 0.0.0.0:8390 --self-signed
                drwx------ 10001/10001 store/
                drwxrwxrwt 0/0 tmp/
                drwxr-xr-x 0/0 usr/
                drwxr-xr-x 0/0 usr/bin/
                -rwxr-xr-x 0/0 usr/bin/filesinki
                drwxr-xr-x 0/0 usr/libexec/
                drwxr-xr-x 0/0 usr/libexec/filesinki/
                -rwxr-xr-x 0/0 usr/libexec/filesinki/filesinki-net
                drwxr-xr-x 0/0 usr/share/
                drwxr-xr-x 0/0 usr/share/doc/
                drwxr-xr-x 0/0 usr/share/doc/filesinki/
                -rw-r--r-- 0/0 usr/share/doc/filesinki/LICENSES

                """)
    }
}
