import Testing

/// A first upload that is killed again and again, as `Scripts/measure-resume.py` does it on a larger scale.
@Suite("A first upload that is killed", .onOwnThreads, .serialized)
struct KilledUploadTests {
    @Test("what six kills waste is what was being sent: two packs of 1 MiB each time")
    func kills() throws {
        let machine = try Machine()
        let run = try machine.shell(
            """
            python3 \(Machine.package)/Scripts/measure-resume.py . --binary "$FILESINKI" \
                --size 48M --kills 6 --at-most 1.35
            """)
        #expect(run.code == 0, "\(run)")
        #expect(run.output.contains("uploaded / final store: 1."), "\(run)")
    }
}
