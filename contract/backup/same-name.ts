/** Returns whether two names are the same to a person. */
export const isSameName = (one: string, other: string): boolean => plain(one) === plain(other);
const plain = (name: string): string => name.normalize('NFC').trim().toLowerCase();
