/** A restore that leaves nothing out, and changes nothing. */
export const NO_FLAGS = {
  markRestoredAsUnread: false,
  excludeDeletedItems: false,
  excludeDrafts: false,
  excludeInPlaceHoldItems: false,
  excludeLitigationHoldItems: false,
};
