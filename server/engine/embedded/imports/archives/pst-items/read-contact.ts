import type { PSTMessage } from 'pst-extractor';
import type { Address, OutlookContact } from '../../../sources/outlook/entities.ts';
import {
  readPstText,
  listAttachments,
  type PstMessageRef,
  readAttachedFiles,
} from '../pst-message.ts';
import { type ItemProperties, type NameMap, readProperties } from './item-properties.ts';
import { getStamps, type ReadItem, toDate } from './shared-fields.ts';

const EMAILS = ['email1', 'email2', 'email3'] as const;
/** On an attachment: it is the picture of the contact ([MS-OXOCNTC] 2.2.1.8.3). */
const IS_PHOTO = 0x7fff;
/** Graph writes a birthday as a minute before noon. */
const NOON_MS = 43_140_000;

/** Returns a contact as Graph would ([MS-OXOCNTC]), without an id. */
export function readContact(
  place: PstMessageRef,
  message: PSTMessage,
  names: NameMap,
): ReadItem<OutlookContact> | 'too-large' {
  const properties = readProperties(message, names);
  const { text } = properties;
  const files = readAttachedFiles(place, message);
  if (files === 'too-large') return files;
  const photo = files.find(({ attachment }) => readProperties(attachment, names).flag(IS_PHOTO));
  const birthday = properties.time(0x3a42);
  return {
    value: {
      id: '',
      ...getStamps(properties),
      displayName: text(0x3001) || readPstText(() => message.subject),
      fileAs: text('fileAs'),
      title: text(0x3a45),
      givenName: text(0x3a06),
      middleName: text(0x3a44),
      surname: text(0x3a11),
      generation: text(0x3a05),
      nickName: text(0x3a4f),
      companyName: text(0x3a16),
      department: text(0x3a18),
      jobTitle: text(0x3a17),
      initials: text(0x3a0a),
      profession: text(0x3a46),
      officeLocation: text(0x3a19),
      manager: text(0x3a4e),
      assistantName: text(0x3a30),
      spouseName: text(0x3a48),
      children: [...properties.texts(0x3a58)],
      yomiGivenName: text('yomiGivenName'),
      yomiSurname: text('yomiSurname'),
      yomiCompanyName: text('yomiCompanyName'),
      emailAddresses: EMAILS.flatMap((slot) => getEmail(properties, slot)),
      imAddresses: some(text('chatAddress')),
      businessPhones: some(text(0x3a08), text(0x3a1b)),
      homePhones: some(text(0x3a09), text(0x3a2f)),
      mobilePhone: text(0x3a1c),
      businessAddress: getAddress(properties, [
        ['workStreet', 0x3a29],
        ['workCity', 0x3a27],
        ['workState', 0x3a28],
        ['workCountry', 0x3a26],
        ['workPostalCode', 0x3a2a],
      ]),
      homeAddress: getAddress(properties, [[0x3a5d], [0x3a59], [0x3a5c], [0x3a5a], [0x3a5b]]),
      otherAddress: getAddress(properties, [[0x3a63], [0x3a5f], [0x3a62], [0x3a60], [0x3a61]]),
      businessHomePage: text(0x3a51) || text('webPage'),
      ...(birthday !== null && {
        birthday: new Date(toDate(birthday) + NOON_MS).toISOString(),
      }),
      personalNotes: readPstText(() => message.body),
      categories: [...properties.texts('categories')],
      ...(photo && {
        photo: {
          contentType: getPictureType(photo.file.bytes),
          contentBytes: Buffer.from(photo.file.bytes).toString('base64'),
        },
      }),
    },
    // A contact of Microsoft 365 has no attachments but its picture.
    left: [...listAttachments(place, message)].length > (photo ? 1 : 0) ? ['attachments'] : [],
  };
}

const some = (...values: string[]): string[] => values.filter((value) => value !== '');

/** By the first bytes. */
function getPictureType(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  if (head === '89504e47') return 'image/png';
  return head === '47494638' ? 'image/gif' : 'image/jpeg';
}

/** Of an address of Exchange, only what is shown of it can be an address of others. */
function getEmail(properties: ItemProperties, slot: (typeof EMAILS)[number]) {
  const address = [
    properties.text(`${slot}Address`),
    properties.text(`${slot}Shown`),
    properties.text(`${slot}Name`),
  ].find((text) => text.includes('@') && !text.startsWith('/'));
  return address === undefined ? [] : [{ name: properties.text(`${slot}Name`), address }];
}

type Ids = readonly Parameters<ItemProperties['text']>[0][];

/** Street, city, state, country and postal code: the first of their properties that is there. */
function getAddress(properties: ItemProperties, fields: readonly Ids[]): Address {
  const [street, city, state, countryOrRegion, postalCode] = fields.map(
    (ids) => ids.map((id) => properties.text(id)).find((text) => text !== '') ?? '',
  );
  return { street, city, state, countryOrRegion, postalCode };
}
