/** What a restore leaves out or changes. */
export interface MailFlags {
  readonly markRestoredAsUnread: boolean;
  readonly excludeDeletedItems: boolean;
  readonly excludeDrafts: boolean;
  readonly excludeInPlaceHoldItems: boolean;
  readonly excludeLitigationHoldItems: boolean;
}
export interface RestoreFlags extends MailFlags {
  /** Files and folders that the restore creates are shared with the same people and by new links. */
  readonly permissions?: boolean;
  /** What of a team is put back besides its channels; absent: all of it, exactly. */
  readonly team?: { readonly members: boolean; readonly settings: boolean };
}
