export interface ItemPerson {
  readonly name: string;
  /** Empty if unknown. */
  readonly address: string;
}

/**
 * Splits the people of a mail: the sender first, then the recipients, as `Name <address>` or an
 * address alone, with commas between. A name may have commas too.
 */
export function splitPeople(people: string): readonly ItemPerson[] {
  return people
    .split(/(?<=>), |(?<=@[^\s,<>]+), /)
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => {
      const found = /^(.*?)\s*<([^<>]*)>$/.exec(text);
      const [, name = '', address = ''] = found ?? [];
      if (!found) return { name: text, address: '' };
      return name === '' ? { name: address, address: '' } : { name, address };
    });
}

export const personText = ({ name, address }: ItemPerson): string =>
  address === '' ? name : `${name}, ${address}`;
