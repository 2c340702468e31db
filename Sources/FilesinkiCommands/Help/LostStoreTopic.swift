extension HelpTopic {
    static let lostStoreText = """
        LOST STORES

        A store that is gone, or damaged beyond repair, is replaced by a new one. The
        replicas have all files and lose none; older versions and the log are gone.
        First make sure that it is lost: mount its disk if it is not mounted, and if
        it was moved, give its new address with filesinki remote set URL.

        A store that was moved with --migrate, and whose new place is lost, goes on at
        its old one: filesinki remote set OLD --migrate does that, or names the steps.

        Make a new store, at the former address or another, with an empty folder:

          filesinki init new --remote URL

        Then, on each device, one that has all files first:

          filesinki remote set --root DIR URL --accept
          filesinki sync DIR

        Both sides are merged as at a first sync: nothing is deleted. What a device had
        not received of the old store's deletions comes back, and so does what was
        deleted on it and not sent: delete that again after the sync. Edits that were
        not sent may become conflict copies. The folder of the first step is needed no
        longer: filesinki deinit new. Values and records are not carried over; sync
        names them, and the commands that do that.
        """
}
