import * as v from 'valibot';

// Events, contacts and tasks as Graph returns them. A property of another form is taken as missing:
// one odd item must not stop the others.

const maybe = <S extends v.GenericSchema>(schema: S) => v.fallback(v.nullish(schema), undefined);
const text = maybe(v.string());
const flag = maybe(v.boolean());
const texts = maybe(v.array(v.string()));

const ZonedTime = v.object({ dateTime: v.string(), timeZone: v.string() });
export type ZonedTime = v.InferOutput<typeof ZonedTime>;
const Body = v.object({ contentType: text, content: text });
const EmailAddress = v.object({ name: text, address: text });
export type EmailAddress = v.InferOutput<typeof EmailAddress>;
const Recipient = v.object({ emailAddress: maybe(EmailAddress) });
const Recurrence = v.object({
  pattern: v.object({
    type: v.string(),
    interval: v.number(),
    month: maybe(v.number()),
    dayOfMonth: maybe(v.number()),
    daysOfWeek: texts,
    firstDayOfWeek: text,
    index: text,
  }),
  range: v.object({
    type: v.string(),
    startDate: v.string(),
    endDate: text,
    recurrenceTimeZone: text,
    numberOfOccurrences: maybe(v.number()),
  }),
});
export type Recurrence = v.InferOutput<typeof Recurrence>;
const Attendee = v.object({
  emailAddress: maybe(EmailAddress),
  type: text,
  status: maybe(v.object({ response: text })),
});
export type Attendee = v.InferOutput<typeof Attendee>;
const Attachment = v.looseObject({
  '@odata.type': text,
  'name': text,
  'contentType': text,
  'isInline': flag,
  'contentId': text,
  'size': maybe(v.number()),
  'contentBytes': text,
});
export type Attachment = v.InferOutput<typeof Attachment>;

const EVENT = {
  id: v.string(),
  changeKey: text,
  createdDateTime: text,
  lastModifiedDateTime: text,
  iCalUId: text,
  subject: text,
  body: maybe(Body),
  start: maybe(ZonedTime),
  end: maybe(ZonedTime),
  originalStart: text,
  originalStartTimeZone: text,
  isAllDay: flag,
  isCancelled: flag,
  isOrganizer: flag,
  responseStatus: maybe(v.object({ response: text })),
  location: maybe(v.looseObject({ displayName: text })),
  categories: texts,
  importance: text,
  sensitivity: text,
  showAs: text,
  isReminderOn: flag,
  reminderMinutesBeforeStart: maybe(v.number()),
  hasAttachments: flag,
  type: text,
  organizer: maybe(Recipient),
  attendees: maybe(v.array(Attendee)),
};
const Instance = v.looseObject(EVENT);
export type Instance = v.InferOutput<typeof Instance>;
/** A single event, or the master of a series with what differs from it. */
export const OutlookEvent = v.looseObject({
  ...EVENT,
  recurrence: maybe(Recurrence),
  attachments: maybe(v.array(Attachment)),
  exceptionOccurrences: maybe(v.array(Instance)),
  cancelledOccurrences: texts,
});
export type OutlookEvent = v.InferOutput<typeof OutlookEvent>;

const Address = v.object({
  street: text,
  city: text,
  state: text,
  countryOrRegion: text,
  postalCode: text,
});
export type Address = v.InferOutput<typeof Address>;
const Photo = v.object({ contentType: v.string(), contentBytes: v.string() });
export const OutlookContact = v.looseObject({
  id: v.string(),
  changeKey: text,
  parentFolderId: text,
  createdDateTime: text,
  lastModifiedDateTime: text,
  displayName: text,
  fileAs: text,
  title: text,
  givenName: text,
  middleName: text,
  surname: text,
  generation: text,
  nickName: text,
  companyName: text,
  department: text,
  jobTitle: text,
  emailAddresses: maybe(v.array(EmailAddress)),
  imAddresses: texts,
  businessPhones: texts,
  homePhones: texts,
  mobilePhone: text,
  businessAddress: maybe(Address),
  homeAddress: maybe(Address),
  otherAddress: maybe(Address),
  businessHomePage: text,
  birthday: text,
  personalNotes: text,
  initials: text,
  profession: text,
  officeLocation: text,
  manager: text,
  assistantName: text,
  spouseName: text,
  children: texts,
  yomiGivenName: text,
  yomiSurname: text,
  yomiCompanyName: text,
  categories: texts,
  photo: maybe(Photo),
});
export type OutlookContact = v.InferOutput<typeof OutlookContact>;

const ChecklistItem = v.looseObject({ displayName: text, isChecked: flag });
const LinkedResource = v.looseObject({
  applicationName: text,
  displayName: text,
  externalId: text,
  webUrl: text,
});
export const OutlookTask = v.looseObject({
  '@odata.etag': text,
  'id': v.string(),
  'createdDateTime': text,
  'lastModifiedDateTime': text,
  'title': text,
  'body': maybe(Body),
  'status': text,
  'importance': text,
  'categories': texts,
  'isReminderOn': flag,
  'startDateTime': maybe(ZonedTime),
  'dueDateTime': maybe(ZonedTime),
  'reminderDateTime': maybe(ZonedTime),
  'completedDateTime': maybe(ZonedTime),
  'hasAttachments': flag,
  'recurrence': maybe(Recurrence),
  'checklistItems': maybe(v.array(ChecklistItem)),
  'linkedResources': maybe(v.array(LinkedResource)),
});
export type OutlookTask = v.InferOutput<typeof OutlookTask>;
