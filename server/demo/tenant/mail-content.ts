import type { Ms } from '#contract/ids.ts';
import { type Rng, makeRng, pickOne, upTo } from '../random.ts';

/** Somebody in a mail. */
export interface Correspondent {
  readonly name: string;
  readonly address: string;
}

export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
  readonly files: readonly {
    readonly name: string;
    readonly type: string;
    readonly size: number;
  }[];
  readonly hasLogo: boolean;
}

const OUTSIDE: readonly [Correspondent, ...Correspondent[]] = [
  { name: 'Alder & Sons Orders', address: 'orders@alder.example.net' },
  { name: 'Marit Solheim', address: 'marit.solheim@fjordline.example.org' },
  { name: 'Paulo Teixeira', address: 'paulo@teixeira-logistica.example.com' },
  { name: 'Harbour Office', address: 'office@harbour.example.org' },
  { name: 'Yard newsletter', address: 'news@yardweekly.example.net' },
  { name: '田中 健', address: 'ken.tanaka@minato.example.com' },
  { name: 'Ragnhild Åsen', address: 'ragnhild.asen@nordsteel.example.net' },
  { name: 'Bank of Saltmarsh', address: 'statements@saltmarsh.example.com' },
  { name: 'Travel desk', address: 'bookings@northtravel.example.org' },
];

export const outsider = (random: Rng): Correspondent => pickOne(OUTSIDE, random);

/** Subjects, what they are about, and the files that go with them. */
const TOPICS = [
  {
    subject: 'Quay extension: drawings rev {n}',
    about: 'the drawings of the quay extension',
    files: ['Quay extension rev {n}.pdf', 'Load table {n}.xlsx'],
  },
  {
    subject: 'Invoice {n} for the crane inspection',
    about: 'the inspection of the crane',
    files: ['Invoice {n}.pdf'],
  },
  {
    subject: 'Minutes of Monday’s meeting',
    about: 'what we agreed on Monday',
    files: ['Minutes {n}.docx'],
  },
  { subject: 'Delivery {n} delayed until Thursday', about: 'the delayed delivery', files: [] },
  {
    subject: 'Your booking {n} is confirmed',
    about: 'the trip to the shipyard',
    files: ['Itinerary {n}.pdf'],
  },
  {
    subject: 'Offer {n}: steel plates, 12 mm',
    about: 'the steel plates',
    files: ['Offer {n}.pdf', 'Terms.pdf'],
  },
  {
    subject: 'Fotos vom Baufortschritt (Woche {n})',
    about: 'die Fotos der Baustelle',
    files: ['IMG_{n}.jpg', 'IMG_{n}b.jpg'],
  },
  { subject: '見積書 {n} の件', about: 'the quotation for the winch', files: ['見積書 {n}.pdf'] },
  {
    subject: 'Holiday plan for the workshop',
    about: 'the holiday plan',
    files: ['Holiday plan.xlsx'],
  },
  {
    subject: 'Can you check the figures of project {n}?',
    about: 'the figures of the project',
    files: ['Project {n}.xlsx'],
  },
  {
    subject: 'Statement of account no. {n}',
    about: 'the statement of this month',
    files: ['Statement {n}.pdf'],
  },
  { subject: 'Lunch on Friday 🍲', about: 'lunch', files: [] },
  {
    subject: 'Safety briefing: ladders & scaffolds',
    about: 'the safety briefing',
    files: ['Briefing.pptx'],
  },
  {
    subject: 'Re-certification of the lifting gear, due in {n} days',
    about: 'the lifting gear',
    files: ['Certificate {n}.pdf'],
  },
] as const;

const SENTENCES = [
  'I have attached the latest version.',
  'Could you have a look before noon?',
  'Nothing changes for the workshop.',
  'The price includes transport and insurance.',
  'Please send me a short note if this works for you.',
  'Two points are still open: the foundation and the power supply.',
  'We expect the parts at the end of the week.',
  'As agreed, the second half is due after acceptance.',
  'The weather has cost us three days so far.',
  'Grüße aus der Werft – bis nächste Woche!',
  'I am out of the office until Wednesday.',
  'The old contract ends on the 31st.',
] as const;

const TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  jpg: 'image/jpeg',
  png: 'image/png',
  txt: 'text/plain',
  csv: 'text/csv',
  md: 'text/markdown',
  dwg: 'image/vnd.dwg',
  zip: 'application/zip',
};

export const typeOfFile = (name: string): string =>
  TYPES[/\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''] ?? 'application/octet-stream';

/** Returns subject, bodies and attachments of one mail; mails of a thread share its subject. */
export function makeMailText(
  seed: number,
  thread: number,
  place: number,
  sender: string,
): MailText {
  const about = makeRng(seed, 'thread', thread);
  const topic = TOPICS[upTo(about, TOPICS.length)] ?? TOPICS[0];
  const number = String(100 + upTo(about, 900));
  const fill = (text: string): string => text.replaceAll('{n}', number);
  const random = makeRng(seed, 'mail', thread, place);
  const sentences = Array.from({ length: 2 + upTo(random, 9) }, () => pickOne(SENTENCES, random));
  const intro =
    place === 0 ? `this is about ${topic.about}.` : `thanks for your mail about ${topic.about}.`;
  const paragraphs = [`Hello,`, intro, sentences.join(' '), `Kind regards,\n${sender}`];
  const isHtml = random() < 0.7;
  const hasLogo = isHtml && random() < 0.25;
  const hasTable = isHtml && random() < 0.2;
  const files = place === 0 || random() < 0.15 ? topic.files : [];
  return {
    subject: `${place > 0 ? 'Re: ' : ''}${fill(topic.subject)}`,
    text: paragraphs.join('\n\n'),
    html: isHtml ? asHtml(paragraphs, hasTable, hasLogo) : null,
    files: files.map((name) => ({
      name: fill(name),
      type: typeOfFile(name),
      size: 2_500 + Math.floor(random() ** 4 * 180_000),
    })),
    hasLogo,
  };
}

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function asHtml(paragraphs: readonly string[], hasTable: boolean, hasLogo: boolean): string {
  const table =
    '<table border="1"><tr><th>Item</th><th>Quantity</th></tr><tr><td>Plate 12 mm</td><td>40</td></tr></table>';
  const logo = '<p><img src="cid:logo" alt="Logo" width="32" height="32"></p>';
  return [
    '<html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"></head><body>',
    ...paragraphs.map((text) => `<p>${escapeHtml(text).replaceAll('\n', '<br>')}</p>`),
    ...(hasTable ? [table] : []),
    ...(hasLogo ? [logo] : []),
    '</body></html>',
  ].join('\r\n');
}

/** Returns the first 255 characters of a body as one line, as previews show it. */
export function getPreview(body: string, isHtml: boolean): string {
  const text = isHtml
    ? body
        .replace(/<head[\s\S]*?<\/head>/i, '')
        .replace(/<[^>]+>/g, ' ')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&')
    : body;
  return text.replace(/\s+/g, ' ').trim().slice(0, 255);
}

/** Returns a time within the last two years, recent ones more often, in whole seconds. */
export const pastTime = (random: Rng, now: Ms): Ms =>
  Math.floor((now - 3_600_000 - random() ** 1.6 * 720 * 86_400_000) / 1000) * 1000;
