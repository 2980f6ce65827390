/** What makes two user names the same: case and surrounding space do not tell people apart. */
export const usernameKey = (username: string): string =>
  username.normalize('NFC').trim().toLowerCase();
