import type { Address, OutlookContact } from '../../sources/outlook/entities.ts';
import { getMailAttachment, type PstMessage } from '../message.ts';
import { NAMED } from '../named-properties.ts';
import { boolean, int32, type Property, strings, time } from '../properties.ts';
import {
  clean,
  getNamedText,
  getOptionalText,
  getSharedProperties,
  readStamp,
} from './shared-properties.ts';

const PHOTO_NAMES: Readonly<Record<string, string>> = {
  'image/png': 'ContactPicture.png',
  'image/gif': 'ContactPicture.gif',
};

/** [MS-OXOCNTC] */
export function getContactMessage(contact: OutlookContact): PstMessage {
  const { photo, emailAddresses, businessPhones, homePhones } = contact;
  const name = contact.displayName || contact.fileAs || contact.companyName || '';
  const birthday = readStamp(contact.birthday);
  return {
    kind: 'contact',
    recipients: [],
    properties: [
      ...getSharedProperties({
        messageClass: 'IPM.Contact',
        title: name,
        text: { contentType: 'text', content: contact.personalNotes },
        categories: contact.categories,
        importance: null,
        sensitivity: null,
        createdAt: contact.createdDateTime,
        changedAt: contact.lastModifiedDateTime,
        hasAttachments: Boolean(photo),
      }),
      ...getOptionalText(0x3001, name),
      ...getNamedText('fileAs', contact.fileAs || name),
      ...getOptionalText(0x3a45, contact.title),
      ...getOptionalText(0x3a06, contact.givenName),
      ...getOptionalText(0x3a44, contact.middleName),
      ...getOptionalText(0x3a11, contact.surname),
      ...getOptionalText(0x3a05, contact.generation),
      ...getOptionalText(0x3a4f, contact.nickName),
      ...getOptionalText(0x3a16, contact.companyName),
      ...getOptionalText(0x3a18, contact.department),
      ...getOptionalText(0x3a17, contact.jobTitle),
      ...getOptionalText(0x3a0a, contact.initials),
      ...getOptionalText(0x3a46, contact.profession),
      ...getOptionalText(0x3a19, contact.officeLocation),
      ...getOptionalText(0x3a4e, contact.manager),
      ...getOptionalText(0x3a30, contact.assistantName),
      ...getOptionalText(0x3a48, contact.spouseName),
      ...(contact.children?.length ? [strings(0x3a58, contact.children.map(clean))] : []),
      ...getNamedText('yomiGivenName', contact.yomiGivenName),
      ...getNamedText('yomiSurname', contact.yomiSurname),
      ...getNamedText('yomiCompanyName', contact.yomiCompanyName),
      ...getOptionalText(0x3a08, businessPhones?.[0]),
      ...getOptionalText(0x3a1b, businessPhones?.[1]),
      ...getOptionalText(0x3a09, homePhones?.[0]),
      ...getOptionalText(0x3a2f, homePhones?.[1]),
      ...getOptionalText(0x3a1c, contact.mobilePhone),
      ...getOptionalText(0x3a51, contact.businessHomePage),
      ...getNamedText('webPage', contact.businessHomePage),
      ...getNamedText('chatAddress', contact.imAddresses?.[0]),
      ...(birthday === null ? [] : [time(0x3a42, birthday)]),
      ...(emailAddresses ?? []).slice(0, EMAILS.length).flatMap((email, n) => getEmail(email, n)),
      ...getAddresses(contact),
      boolean(NAMED.hasPhoto, Boolean(photo)),
    ],
    attachments: photo ? [getPhoto(photo)] : [],
  };
}

/** Outlook has room for three. */
const EMAILS = ['email1', 'email2', 'email3'] as const;

function getEmail(
  { name, address }: NonNullable<OutlookContact['emailAddresses']>[number],
  n: number,
): Property[] {
  const slot = EMAILS[n];
  if (slot === undefined || !address) return [];
  return [
    ...getNamedText(`${slot}Name`, name || address),
    ...getNamedText(`${slot}Type`, 'SMTP'),
    ...getNamedText(`${slot}Address`, address),
    ...getNamedText(`${slot}Shown`, address),
  ];
}

/** [MS-OXOCNTC] 2.2.1.3.9: which address is the mailing address. */
const WORK = 2;

function getAddresses({ businessAddress, homeAddress, otherAddress }: OutlookContact): Property[] {
  const work = businessAddress ?? {};
  const home = homeAddress ?? {};
  const other = otherAddress ?? {};
  const hasWork = formatAddress(work) !== '';
  return [
    ...getNamedText('workAddress', formatAddress(work)),
    ...getNamedText('workStreet', work.street),
    ...getNamedText('workCity', work.city),
    ...getNamedText('workState', work.state),
    ...getNamedText('workPostalCode', work.postalCode),
    ...getNamedText('workCountry', work.countryOrRegion),
    // The mailing address, in the places from which other programs read that of the work.
    ...(hasWork ? [int32(NAMED.mailingAddress, WORK)] : []),
    ...getOptionalText(0x3a29, work.street),
    ...getOptionalText(0x3a27, work.city),
    ...getOptionalText(0x3a28, work.state),
    ...getOptionalText(0x3a2a, work.postalCode),
    ...getOptionalText(0x3a26, work.countryOrRegion),
    ...getNamedText('homeAddress', formatAddress(home)),
    ...getOptionalText(0x3a5d, home.street),
    ...getOptionalText(0x3a59, home.city),
    ...getOptionalText(0x3a5c, home.state),
    ...getOptionalText(0x3a5b, home.postalCode),
    ...getOptionalText(0x3a5a, home.countryOrRegion),
    ...getNamedText('otherAddress', formatAddress(other)),
    ...getOptionalText(0x3a63, other.street),
    ...getOptionalText(0x3a5f, other.city),
    ...getOptionalText(0x3a62, other.state),
    ...getOptionalText(0x3a61, other.postalCode),
    ...getOptionalText(0x3a60, other.countryOrRegion),
  ];
}

const formatAddress = ({ street, city, state, postalCode, countryOrRegion }: Address): string =>
  [street, [postalCode, city].filter(Boolean).join(' '), state, countryOrRegion]
    .filter(Boolean)
    .join('\n');

function getPhoto({ contentType, contentBytes }: NonNullable<OutlookContact['photo']>) {
  const file = getMailAttachment(
    {
      kind: 'file',
      name: PHOTO_NAMES[contentType] ?? 'ContactPicture.jpg',
      mediaType: clean(contentType),
      contentId: null,
      isInline: false,
      bytes: Buffer.from(contentBytes, 'base64'),
    },
    0,
  );
  return { ...file, about: [...file.about, boolean(IS_CONTACT_PHOTO, true)] };
}
const IS_CONTACT_PHOTO = 0x7fff;
