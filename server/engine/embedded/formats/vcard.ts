import type { Address, OutlookContact } from '../sources/outlook/entities.ts';
import { cleanAddress, escapePlainText, escapeText, joinLines } from './content-line.ts';

/** Returns a contact as a vCard 3.0 (RFC 2426), which Outlook and telephones read. */
export function writeContactFile(contact: OutlookContact): Uint8Array<ArrayBuffer> {
  const { companyName, department, emailAddresses, imAddresses, photo } = contact;
  const name = [
    contact.surname,
    contact.givenName,
    contact.middleName,
    contact.title,
    contact.generation,
  ];
  const lines = [
    'BEGIN:VCARD',
    'VERSION:3.0',
    'PRODID:-//Daybook//Backup//EN',
    `UID:${escapePlainText(contact.id)}`,
    `N:${name.map((part) => escapeText(part ?? '')).join(';')}`,
    `FN:${escapePlainText(contact.displayName || contact.fileAs || companyName || '')}`,
    ...property('NICKNAME', contact.nickName),
    ...(companyName || department
      ? [`ORG:${[companyName, department].map((part) => escapeText(part ?? '')).join(';')}`]
      : []),
    ...property('TITLE', contact.jobTitle),
    ...(emailAddresses ?? []).flatMap(({ address }, n) =>
      address ? [`EMAIL;TYPE=INTERNET${n === 0 ? ',PREF' : ''}:${cleanAddress(address)}`] : [],
    ),
    ...(contact.businessPhones ?? []).map(
      (phone) => `TEL;TYPE=WORK,VOICE:${escapePlainText(phone)}`,
    ),
    ...(contact.homePhones ?? []).map((phone) => `TEL;TYPE=HOME,VOICE:${escapePlainText(phone)}`),
    ...property('TEL;TYPE=CELL,VOICE', contact.mobilePhone),
    ...address('WORK', contact.businessAddress),
    ...address('HOME', contact.homeAddress),
    ...address('POSTAL', contact.otherAddress),
    ...(imAddresses ?? []).map((im) => `IMPP:${escapePlainText(im)}`),
    ...property('URL', contact.businessHomePage),
    ...(contact.birthday ? [`BDAY:${contact.birthday.slice(0, 10)}`] : []),
    ...property('NOTE', contact.personalNotes),
    ...(contact.categories?.length
      ? [`CATEGORIES:${contact.categories.map(escapeText).join(',')}`]
      : []),
    ...(photo
      ? [`PHOTO;ENCODING=b;TYPE=${PHOTO_TYPES[photo.contentType] ?? 'JPEG'}:${photo.contentBytes}`]
      : []),
    ...(contact.lastModifiedDateTime ? [`REV:${escapeText(contact.lastModifiedDateTime)}`] : []),
    'END:VCARD',
  ];
  return joinLines(lines);
}
const PHOTO_TYPES: Readonly<Record<string, string>> = { 'image/png': 'PNG', 'image/gif': 'GIF' };

const property = (name: string, text: string | null | undefined): string[] =>
  text ? [`${name}:${escapePlainText(text)}`] : [];

function address(type: string, place: Address | null | undefined): string[] {
  const { street, city, state, postalCode, countryOrRegion } = place ?? {};
  const parts = ['', '', street, city, state, postalCode, countryOrRegion];
  return parts.some(Boolean)
    ? [`ADR;TYPE=${type}:${parts.map((part) => escapeText(part ?? '')).join(';')}`]
    : [];
}
