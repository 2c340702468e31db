/// What a ``LocalWatch`` tells.
package enum LocalNotice: Hashable, Sendable {
    /// These paths have changed and come to rest.
    case changes(LocalChanges)
    /// Anything may have changed.
    case everything(Reason)
    /// The tree is looked at by the rules that were asked for last.
    case rescanned
    /// Not all of the tree is heard of any more.
    case shortage(TreeWatch.Shortage)
    /// All of the tree is heard of again.
    case noShortage
    /// The root was moved, deleted or unmounted.
    case rootGone
    /// A signal came.
    case signal(Int32)
    /// Something may have changed at the remote.
    case remote

    /// Why nothing is known of single paths.
    package enum Reason: Hashable, Sendable {
        /// So many changes that they are not told singly.
        case flood
        /// The kernel had to drop events.
        case overflow
        /// A file system below the root was unmounted.
        case unmount
        case clock(ClockReading.Jump)
    }
}
