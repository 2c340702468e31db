import Testing

/// A first upload that is killed again and again, as `Scripts/measure-resume.py` does it on a larger scale.
@Suite("A first upload that is killed", .onOwnThreads, .serialized)
struct KilledUploadTests {
    @Test(
        "what kills waste is what was being sent: two packs, which are small after the first kill")
    func kills() throws {
        let machine = try Machine()
        let run = try machine.shell(
            """
            python3 \(Machine.package)/Scripts/measure-resume.py . --binary "$FILESINKI" \
                --size 48M --kills 8 --at-most 1.6
            """)
        #expect(run.code == 0, "\(run)")
        #expect(run.output.contains("uploaded / final store: 1."), "\(run)")
    }
}
