internal import FilesinkiModel
internal import FilesinkiSQLite

extension Profile where Thrown == Failure {
    /// How a manifest's file is opened.
    static func manifest(_ access: OwnAccess) -> Profile {
        own(
            access,
            FilePurpose(
                name: "manifest",
                damageRemedy:
                    "It is rebuilt from the store's log by the next sync; no file is lost.",
                recordDamage: { ManifestDatabase.doubt($0) }))
    }
}
